# SPDX-License-Identifier: Apache-2.0
"""The same work side by side: range-Doppler of one matrix by cornerturn and by the array libraries that a user would
pick instead.

The work: range compression (FFT, filter, inverse FFT), corner turn, azimuth FFT, range migration correction, azimuth
filter, inverse FFT, on complex64 data that lie where they are computed. Filters and index tables are made beforehand
and not timed. Before anything is timed, a simulated scene is focused by cornerturn and by the plain range-Doppler
algorithm below (Cumming & Wong 2005, chapter 6), and the two images are compared at the points and as a whole; then
every library must give what SciPy gives.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy as np
import scipy

import peer_jobs
from peer_backprojection import compare_backprojection
from peer_chains import CupyChain, Geometry, ScipyChain, TorchChain, tables_of
from peer_scene import check_scene, cornerturn, signal_to_error_db

ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---- Timing ----------------------------------------------------------------------------------------------------------


def time_chain(chain, x, repeat):
    times = []
    for i in range(repeat + 1):  # the first warms up
        placed = chain.place(x)
        chain.wait()
        start = time.perf_counter()
        chain.run(placed)
        chain.wait()
        times.append(1e3 * (time.perf_counter() - start))
    return times[1:]


def time_cornerturn(program, benchmark, device, size, chain, taps, repeat):
    """Times in ms, how they were measured, and the signal-to-error ratio that the bench saw."""
    if "pipeline" in cornerturn(program, "bench", "--help"):
        found = json.loads(
            cornerturn(
                program,
                "bench",
                "pipeline",
                "--json",
                "--device",
                device,
                "--size",
                size,
                "--chain",
                chain,
                "--rcmc-taps",
                taps,
                "--repeat",
                repeat,
            )
        )
        return [found["median_ms"]], f"chain {found.get('chain', chain)}", found.get("check_db")
    if size != 4096 or not os.path.exists(benchmark):
        raise RuntimeError("this cornerturn has no `bench pipeline`")
    kind = "on_cpu" if device == "cpu" else "on_cuda"
    done = subprocess.run(
        [benchmark, f"--benchmark_filter={kind}/lines:{size}/samples:{size}/taps:{taps}", "--benchmark_format=json"],
        capture_output=True,
        text=True,
        check=True,
    )
    for found in json.loads(done.stdout)["benchmarks"]:
        if "/valid:1/" in found["name"]:  # transforms as long as the echo, as the libraries' are
            return [found["real_time"]], "benchmark_range_doppler, int8 echo", None
    raise RuntimeError("this benchmark_range_doppler pads its transforms")


def random_data(size):
    generator = np.random.default_rng(1)
    return (
        generator.standard_normal((size, size), np.float32) + 1j * generator.standard_normal((size, size), np.float32)
    ).astype(np.complex64)


def peers_of(device, modules, threads):
    """name -> maker(tables) of every library that is there; `turned` only says something to SciPy."""
    peers = {}
    if device == "cpu":
        peers["SciPy"] = lambda tables: ScipyChain(tables, False, threads)
        peers["SciPy, with corner turn"] = lambda tables: ScipyChain(tables, True, threads)
        if modules["torch"]:
            peers["PyTorch"] = lambda tables: TorchChain(tables, modules["torch"], "cpu", threads)
    else:
        if modules["cupy"]:
            peers["CuPy"] = lambda tables: CupyChain(tables, modules["cupy"])
        if modules["torch"] and modules["torch"].cuda.is_available():
            peers["PyTorch"] = lambda tables: TorchChain(tables, modules["torch"], "cuda", threads)
    return peers


def load_modules(skipped):
    modules = {}
    for name in ("torch", "cupy"):
        try:
            modules[name] = __import__(name)
        except ImportError:
            modules[name] = None
            skipped.append(f"{name} is not installed")
    return modules


def checked_peers(device, size, x, arguments, modules, skipped):
    """Chains of other programs, each of which made SciPy's image of the samples x."""
    g, checked = Geometry(), []
    for taps in (0, arguments.taps):
        tables = tables_of(g, size, size, size, taps)
        # Every library, the GPU's too, is held against SciPy.
        plain = ScipyChain(tables, True, arguments.threads)
        reference = plain.fetch(plain.run(plain.place(x)))
        for name, make in peers_of(device, modules, arguments.threads).items():
            if taps and name == "SciPy, with corner turn":
                continue  # with migration correction both are the same
            try:
                chain = make(tables)
                db = signal_to_error_db(chain.fetch(chain.run(chain.place(x))), reference)
            except Exception as error:  # each library has an exception of its own for want of memory
                skipped.append(f"{name} on {device}, {size} x {size}, {taps} taps: {type(error).__name__}: {error}")
                continue
            if db < 100:
                raise RuntimeError(f"{name} on {device}, {taps} taps: {db:.1f} dB from SciPy; nothing is timed")
            checked.append({"name": name, "taps": taps, "check_db": db, "chain": chain, "times": []})
        del reference
    return checked


def time_in_turn(device, size, x, ours, peers, arguments):
    """Adds the times of a run in milliseconds to all: in turn, so that a busy machine is busy for each."""
    for _ in range(arguments.rounds):
        for entry in ours:
            try:
                times, entry["how"], entry["check_db"] = time_cornerturn(
                    arguments.program,
                    arguments.benchmark,
                    device,
                    size,
                    entry["chain"],
                    entry["taps"],
                    arguments.repeat,
                )
                entry["times"] += times
            except (RuntimeError, subprocess.CalledProcessError) as error:
                entry["error"] = str(error)
        for entry in peers:
            # The libraries' migration correction takes ten times as long: two runs a round tell enough.
            entry["times"] += time_chain(
                entry["chain"], x, min(arguments.repeat, 2) if entry["taps"] else arguments.repeat
            )


def compare_on(device, size, arguments, modules, skipped):
    """Rows of the table for one device and size."""
    x = random_data(size)
    peers = checked_peers(device, size, x, arguments, modules, skipped)
    chains = arguments.chains if device != "cpu" else ["auto"]
    ours = [{"name": "cornerturn", "chain": chain, "taps": arguments.taps, "times": []} for chain in chains]
    time_in_turn(device, size, x, ours, peers, arguments)
    for entry in ours:
        if not entry["times"]:
            skipped.append(f"cornerturn on {device}, {size} x {size}, chain {entry['chain']}: {entry['error']}")
    timed = [entry for entry in ours if entry["times"]]
    best_ms = min((float(np.median(entry["times"])) for entry in timed), default=None)
    rows = []
    for entry in timed + peers:
        median_ms = float(np.median(entry["times"]))
        rows.append(
            {
                "device": device,
                "size": size,
                "name": entry["name"],
                "taps": entry["taps"],
                "median_ms": median_ms,
                "fastest_ms": min(entry["times"]),
                "how": entry.get("how", "no migration correction" if not entry["taps"] else ""),
                "check_db": entry.get("check_db"),
                "slower_than_cornerturn": best_ms and median_ms / best_ms,
            }
        )
    return rows


# ---- Report ----------------------------------------------------------------------------------------------------------


def machine(threads, modules, on_gpu):
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    text = f"{model}, {threads} threads"
    if on_gpu:
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            text += (
                "; " + subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip().splitlines()[0]
            )
    versions = [f"NumPy {np.__version__}", f"SciPy {scipy.__version__}"]
    versions += [f"{name} {module.__version__}" for name, module in modules.items() if module]
    return text, ", ".join(versions)


def markdown(report):
    lines = [f"{report['date']}, {report['machine']}; {report['versions']}"]
    if report["load_average"] > 0.5:
        lines.append(
            f"The machine was busy with other work (load {report['load_average']:.1f}): the figures are too high."
        )
    lines.append("")
    for scene in report["scenes"]:
        lines.append(
            f"Scene of {scene['points']} points focused on {scene['device']} and by plain NumPy range-Doppler: "
            f"{'PASS' if scene['passed'] else 'FAIL'}, peaks {scene['largest_offset_px']:.4f} px and {scene['largest_phase_deg']:.3f} "
            f"degrees apart at most, signal-to-error {scene['signal_to_error_db']:.1f} dB"
        )
    if report["rows"]:
        lines += [
            "",
            "| device, size | program | migration correction | median ms | fastest ms | medians over cornerturn's |",
        ]
        lines.append("|---|---|---|---|---|---|")
        for row in report["rows"]:
            taps = f"{row['taps']} taps" if row["taps"] else "none"
            ratio = f"{row['slower_than_cornerturn']:.2f}" if row["slower_than_cornerturn"] else "-"
            name = row["name"] + (f" ({row['how']})" if row["name"] == "cornerturn" else "")
            lines.append(
                f"| {row['device']}, {row['size']}² | {name} | {taps} | {row['median_ms']:.4g} | {row['fastest_ms']:.4g} | {ratio} |"
            )
    if report["backprojection"]:
        lines += [
            "",
            "| device, pixels × lines | exact back-projection | median ms | G pixel lines/s | medians over cornerturn's |",
            "|---|---|---|---|---|",
        ]
        for row in report["backprojection"]:
            rate = 1e-6 * row["size"] ** 2 * row["lines"] / row["median_ms"]
            ratio = f"{row['slower_than_cornerturn']:.2f}" if "slower_than_cornerturn" in row else "-"
            lines.append(
                f"| {row['device']}, {row['size']}² × {row['lines']} | {row['name']} | {row['median_ms']:.4g} | {rate:.4g} | {ratio} |"
            )
    if report["jobs"]:
        lines += peer_jobs.job_table(report["jobs"])
    lines += [""] + [f"Skipped: {reason}" for reason in report["skipped"]]
    return "\n".join(lines)


def parsed():
    """The arguments, with the paths of the program and of its benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/compare-peers",
        description=__doc__.split("\n\n")[0],
        epilog="Prints a Markdown table; what is not installed is skipped and named below it.",
    )
    parser.add_argument(
        "--device",
        choices=["auto", "cpu", "cuda", "all"],
        default="auto",
        help="auto: cuda where there is one, else cpu",
    )
    parser.add_argument(
        "--size", type=int, nargs="+", default=[4096], metavar="N", help="rows and columns (default 4096)"
    )
    parser.add_argument(
        "--taps", type=int, choices=[8, 12, 16], default=8, help="of the migration correction (default 8)"
    )
    parser.add_argument("--repeat", type=int, default=5, help="runs in each round (default 5)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, in which all take turns (default 3)")
    parser.add_argument(
        "--chains",
        nargs="+",
        default=["auto", "plain"],
        help="of cornerturn on a GPU (default auto plain; plain is cuFFT)",
    )
    parser.add_argument(
        "--threads", type=int, default=len(os.sched_getaffinity(0)), help="CPU threads (default: all cores)"
    )
    parser.add_argument("--build", default=str(ROOT / "build"), help="build folder (default build)")
    parser.add_argument(
        "--backprojection",
        type=int,
        nargs=2,
        metavar=("N", "LINES"),
        help="exact back-projection instead: N x N pixels of LINES pulses, beside FastSAR's (PyPI fastsar)",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="LINES",
        help="whole jobs instead: a spotlight of LINES pulses (CPHD) to an image file, each in a process of its own, "
        "beside FastSAR's form_cphd",
    )
    parser.add_argument(
        "--install",
        action="store_true",
        help="first bring the newest FastSAR and torchbp (PyPI) into an environment under ~/.cache/cornerturn, for --jobs",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="also write the report as JSON; -: to standard output, instead of the table"
    )
    arguments = parser.parse_args()
    arguments.program = os.path.join(arguments.build, "bin", "cornerturn")
    arguments.benchmark = os.path.join(arguments.build, "bin", "benchmark_range_doppler")
    if not os.path.exists(arguments.program):
        parser.error(f"{arguments.program} is not there; build first or give --build")
    return arguments


def devices_of(choice, skipped):
    """The devices to compare on, and whether there is a GPU."""
    there = json.loads(cornerturn(choice.program, "devices", "--json"))
    has_gpu = any(device["name"].startswith("cuda") for device in there["devices"])
    devices = {"cpu": ["cpu"], "cuda": ["cuda"], "all": ["cpu", "cuda"], "auto": ["cuda" if has_gpu else "cpu"]}[
        choice.device
    ]
    if "cuda" in devices and not has_gpu:
        skipped.append(f"cuda: {there['cuda_status']}")
        devices.remove("cuda")
    return devices, has_gpu


def compare(device, arguments, modules, report):
    """Adds what was asked for on one device to the report. False: a scene is not what it has to be."""
    skipped = report["skipped"]
    if arguments.jobs:
        print(f"timing whole jobs on {device} ...", file=sys.stderr)
        report["jobs"] += peer_jobs.compare_jobs(device, arguments, skipped)
        return True
    if arguments.backprojection:
        print(f"timing back-projection on {device} ...", file=sys.stderr)
        report["backprojection"] += compare_backprojection(device, arguments, skipped)
        return True
    print(f"checking a scene on {device} ...", file=sys.stderr)
    report["scenes"].append(check_scene(arguments.program, device, arguments.threads))
    if not report["scenes"][-1]["passed"]:
        return False
    for size in arguments.size:
        print(f"timing {size} x {size} on {device} ...", file=sys.stderr)
        report["rows"] += compare_on(device, size, arguments, modules, skipped)
    return True


def main():
    arguments, skipped = parsed(), []
    if arguments.install:
        peer_jobs.install(skipped)
    modules = load_modules(skipped)
    devices, has_gpu = devices_of(arguments, skipped)
    text, versions = machine(arguments.threads, modules, has_gpu)
    busy = os.getloadavg()[0]  # before our own work
    report = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "machine": text,
        "versions": versions,
        "load_average": busy,
        "scenes": [],
        "rows": [],
        "backprojection": [],
        "jobs": [],
        "skipped": skipped,
    }
    for device in devices:
        if not compare(device, arguments, modules, report):
            print(markdown(report))
            return 1
    if arguments.json == "-":
        print(json.dumps(report, indent=2, default=float))
        return 0
    print(markdown(report))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=2, default=float) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
