# SPDX-License-Identifier: Apache-2.0
"""Focuses many scenes on the workers of Dask. Each worker is a process with its share of the cores; it keeps one plan,
whose tables and memory serve all scenes of the same kind. A scene that fails stops no other.

usage: dask_scenes.py RAW_FOLDER IMAGE_FOLDER [WORKERS]    of this machine; exit code 1 where a scene failed

On a cluster: Client("tcp://SCHEDULER:8786"), workers started by `dask worker --nthreads 1`, folders that all of them
see. Needs `pip install "dask[distributed]"`."""

import logging
import os
import pathlib
import sys

from dask.distributed import Client, LocalCluster, as_completed, get_worker

import cornerturn as ct


def focused(raw, image, threads):
    """Writes the image of a raw file; returns its rows and columns."""
    worker = get_worker()  # what is kept there outlives the task
    echo = ct.open(raw, threads=threads)
    if not hasattr(worker, "plan"):
        worker.plan = ct.plan(echo, device="cpu", threads=threads)
    return worker.plan(echo, image).shape


def focus_all(raw_folder, image_folder, workers):
    """Prints a line for each scene as it is done; returns how many failed."""
    image_folder.mkdir(parents=True, exist_ok=True)
    threads = max(1, len(os.sched_getaffinity(0)) // workers)
    failed = 0
    quiet = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as cluster, Client(cluster) as client:
        scenes = {
            client.submit(focused, str(raw), str(image_folder / (raw.stem + ".h5")), threads, pure=False): raw.name
            for raw in sorted(raw_folder.iterdir())
        }
        for done in as_completed(scenes):
            if done.status == "finished":
                rows, columns = done.result()
                print(f"{scenes[done]}: {rows} x {columns} pixels", flush=True)
            else:
                failed += 1
                print(f"{scenes[done]}: failed: {done.exception()}", file=sys.stderr, flush=True)
    return failed


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    raws, images = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
    sys.exit(1 if focus_all(raws, images, int(sys.argv[3]) if sys.argv[3:] else 2) else 0)
