# SPDX-License-Identifier: Apache-2.0
"""Focuses many scenes on actors of Ray. Each actor is a process with its share of the cores; it keeps one plan, whose
tables and memory serve all scenes of the same kind. A scene that fails stops no other.

usage: ray_scenes.py RAW_FOLDER IMAGE_FOLDER [WORKERS]    of this machine; exit code 1 where a scene failed

On a cluster: ray.init("auto"), folders that all nodes see. Needs `pip install ray`."""

import os
import pathlib
import sys

import ray
from ray.util import ActorPool

import cornerturn as ct


@ray.remote(max_restarts=-1)
class Worker:
    def __init__(self, threads):
        self.threads, self.plan = threads, None

    def focused(self, raw, image):
        """Writes the image of a raw file; returns what there is to say, and whether it failed."""
        try:
            echo = ct.open(raw, threads=self.threads)
            self.plan = self.plan or ct.plan(echo, device="cpu", threads=self.threads)
            rows, columns = self.plan(echo, image).shape
            return f"{os.path.basename(raw)}: {rows} x {columns} pixels", False
        except (ct.InputError, ct.DeviceError) as error:
            return f"{os.path.basename(raw)}: failed: {error}", True


def focus_all(raw_folder, image_folder, workers):
    """Prints a line for each scene as it is done; returns how many failed."""
    image_folder.mkdir(parents=True, exist_ok=True)
    cores = len(os.sched_getaffinity(0))
    threads = max(1, cores // workers)
    ray.init(num_cpus=max(cores, workers), include_dashboard=False, log_to_driver=False)
    pool = ActorPool([Worker.options(num_cpus=threads).remote(threads) for _ in range(workers)])
    for raw in sorted(raw_folder.iterdir()):
        paths = str(raw), str(image_folder / (raw.stem + ".h5"))
        pool.submit(lambda worker, paths: worker.focused.remote(*paths), paths)
    failed = 0
    while pool.has_next():
        try:
            text, bad = pool.get_next_unordered()
        except ray.exceptions.RayError as error:  # the actor is gone; Ray starts it anew
            text, bad = f"a scene failed: {error}", True
        failed += bad
        print(text, file=sys.stderr if bad else sys.stdout, flush=True)
    ray.shutdown()
    return failed


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    raws, images = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
    sys.exit(1 if focus_all(raws, images, int(sys.argv[3]) if sys.argv[3:] else 2) else 0)
