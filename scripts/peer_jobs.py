# SPDX-License-Identifier: Apache-2.0
"""Whole jobs side by side: a simulated spotlight (CPHD) to an image file, each program in a process of its own, from
its start to its end. For scripts/compare-peers --jobs.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

# Names and what pip is asked for.
PEERS = {"fastsar": "fastsar[io]", "torchbp": "torchbp"}
LEAST_PEAK_DB = 30  # of the brightest pixel over the mean: points that are no points show less

FASTSAR_JOB = """
import sys, numpy, fastsar
raw, image, backend, spacing, along, across = sys.argv[1:]
formed = fastsar.form_cphd(raw, mode="spotlight", backend=backend, window=False, spacing=(float(spacing),) * 2,
                           extent=(float(along), float(across)))
numpy.save(image, formed["image"])
"""


def environment():
    """The virtual environment of the peers, under the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache) / "cornerturn" / "peers"


def install(skipped):
    """Makes the environment and brings the newest of each peer; what cannot be had is told, with pip's reason."""
    folder = environment()
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for name, wanted in PEERS.items():
        print(f"installing {wanted} into {folder} ...", file=sys.stderr)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
        done = subprocess.run([*pip, wanted], capture_output=True, text=True)
        if done.returncode != 0:
            reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            skipped.append(f"{name}: pip install {wanted}: {reasons[0] if reasons else done.stderr.strip()[-200:]}")


def version_of(name):
    """None where the environment has none."""
    python = environment() / "bin" / "python"
    if not python.exists():
        return None
    ask = f"import importlib.metadata as m; print(m.version({name!r}))"
    done = subprocess.run([python, "-c", ask], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def wall_ms(words):
    start = time.perf_counter()
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}")
    return 1e3 * (time.perf_counter() - start)


def peak_db(image):
    """The brightest pixel over the mean of all, of what is a number."""
    power = np.abs(image[np.isfinite(image)].astype(np.complex128)) ** 2
    return 10 * np.log10(power.max() / power.mean())


def map_of(program, raw, device):
    """Rows, columns and spacing in m of the map that cornerturn takes by itself."""
    words = [program, "focus", raw, "--grid", "utm", "--dry-run", "--json", "--device", device]
    plan = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    image = plan["frames"][0]["plan"]["image"]
    return image["rows"], image["columns"], image["x_spacing"]


def our_image(path):
    with h5py.File(path) as file:
        return file["science/LSAR/GSLC/grids/frequencyA/HH"][:]


def compare_jobs(device, arguments, skipped):
    """Rows of the table: as many pixels of the same size from the same file, in turns."""
    lines = arguments.jobs
    with tempfile.TemporaryDirectory() as folder:
        raw, slc, peer = (os.path.join(folder, name) for name in ("raw.cphd", "slc.h5", "peer.npy"))
        program = arguments.program
        wall_ms([program, "simulate", "spotlight", "-o", raw, "--lines", lines, "-q"])
        rows, columns, spacing_m = map_of(program, raw, device)
        common = ["--grid", "utm", "--device", device, "--threads", arguments.threads, "-q"]
        jobs = {
            f"cornerturn, {algorithm}": ([program, "focus", raw, "-o", slc, "--algorithm", algorithm, *common],
                                         lambda: our_image(slc))
            for algorithm in ("auto", "backprojection")
        }
        version = version_of("fastsar")
        if version:
            extent = [(rows - 1) * spacing_m, (columns - 1) * spacing_m]
            words = [environment() / "bin" / "python", "-c", FASTSAR_JOB, raw, peer, device, spacing_m, *extent]
            jobs[f"FastSAR {version}, form_cphd"] = (words, lambda: np.load(peer))
        else:
            skipped.append(f"FastSAR: is not in {environment()}; --install brings it")
        if version_of("torchbp"):
            skipped.append("torchbp: is installed, but reads no CPHD: no whole job of it is timed")
        return timed_jobs(jobs, {"device": device, "lines": lines, "pixels": rows * columns}, arguments, skipped)


def timed_jobs(jobs, what, arguments, skipped):
    entries = []
    for name, (words, read) in jobs.items():
        try:
            cold_ms, image = wall_ms(words), read()
        except RuntimeError as error:
            skipped.append(f"{name} on {what['device']}: {error}")
            continue
        db = float(peak_db(image))
        if db < LEAST_PEAK_DB:
            raise RuntimeError(f"{name}: the brightest pixel is {db:.1f} dB above the mean: no focused points")
        entries.append(dict(what, name=name, words=words, cold_ms=cold_ms, pixels=int(image.size), peak_db=db, times=[]))
    for _ in range(arguments.repeat):  # in turn, so that a busy machine is busy for all
        for entry in entries:
            entry["times"].append(wall_ms(entry["words"]))
    for entry in entries:
        del entry["words"]
        entry["median_ms"] = float(np.median(entry["times"]))
        entry["fastest_ms"] = min(entry["times"])
        entry["slower_than_cornerturn"] = entry["median_ms"] / entries[0]["median_ms"]
    return entries


def job_table(rows):
    lines = [
        "",
        "| device, pulses | whole job: CPHD to image file | M pixels | first, ms | median ms | fastest ms "
        "| peak over mean, dB | medians over cornerturn's |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['device']}, {row['lines']} | {row['name']} | {1e-6 * row['pixels']:.2f} | {row['cold_ms']:.4g} "
            f"| {row['median_ms']:.4g} | {row['fastest_ms']:.4g} | {row['peak_db']:.1f} "
            f"| {row['slower_than_cornerturn']:.2f} |"
        )
    return lines
