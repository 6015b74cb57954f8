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
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
import scipy
import scipy.fft

import peer_jobs

C_M_S = 299792458.0
ROOT = pathlib.Path(__file__).resolve().parent.parent


# ---- The algorithm's tables, in double precision ---------------------------------------------------------------------


class Geometry:
    """Of a stripmap radar at broadside, SI units. Defaults: the preset `spaceborne`."""

    def __init__(
        self,
        carrier_hz=5.3e9,
        prf_hz=1256.98,
        sample_rate_hz=32.317e6,
        near_range_m=993513.0,
        chirp_slope_hz_s=-0.72135e12,
        chirp_duration_s=41.74e-6,
        velocity_m_s=7062.0,
    ):
        self.carrier_hz = carrier_hz
        self.prf_hz = prf_hz
        self.sample_rate_hz = sample_rate_hz
        self.near_range_m = near_range_m
        self.chirp_slope_hz_s = chirp_slope_hz_s
        self.chirp_duration_s = chirp_duration_s
        self.velocity_m_s = velocity_m_s

    @property
    def wavelength_m(self):
        return C_M_S / self.carrier_hz

    @property
    def range_spacing_m(self):
        return C_M_S / (2 * self.sample_rate_hz)

    def range_m(self, columns):
        return self.near_range_m + self.range_spacing_m * np.arange(columns)

    def migration_factor(self, bins):
        """D(f_eta), eq. 5.29."""
        f = np.fft.fftfreq(bins, 1 / self.prf_hz)
        return np.sqrt(1 - (self.wavelength_m * f / (2 * self.velocity_m_s)) ** 2)


def range_filter(g, length):
    """Matched filter conj(S)/|S|^2 over the chirp's band: a point becomes a sinc. S from a replica sampled 16 times
    as finely.
    """
    fine = 16
    t = np.arange(int(g.chirp_duration_s * fine * g.sample_rate_hz)) / (fine * g.sample_rate_hz)
    replica = np.exp(1j * np.pi * g.chirp_slope_hz_s * (t - g.chirp_duration_s / 2) ** 2)
    spectrum = np.fft.fft(replica, fine * length)
    f = np.fft.fftfreq(length, 1 / g.sample_rate_hz)
    s = spectrum[np.round(f / g.sample_rate_hz * length).astype(int)]
    inside = np.abs(f) <= abs(g.chirp_slope_hz_s) * g.chirp_duration_s / 2
    h = np.zeros(length, complex)
    h[inside] = np.conj(s[inside]) / np.abs(s[inside]) ** 2
    return h.astype(np.complex64)


def azimuth_filter(g, columns, bins):
    """columns x bins: eq. 6.26 less the phase 4 pi R0 / lambda that an image keeps, with the amplitude of stationary
    phase.
    """
    d = g.migration_factor(bins)[None, :]
    r0 = g.range_m(columns)[:, None]
    out = np.empty((columns, bins), np.complex64)
    for first in range(0, columns, 256):  # in double, but not all at once
        part = slice(first, first + 256)
        cycles = 2 * r0[part] / g.wavelength_m * (d - 1)
        fm_rate = 2 * g.velocity_m_s**2 * d**3 / (g.wavelength_m * r0[part])
        out[part] = np.sqrt(fm_rate) * np.exp(2j * np.pi * (cycles - np.round(cycles)))
    return out


FRACTIONS = 4096  # steps of the table of interpolation weights: an error of 1e-4


def sinc_table(taps):
    """FRACTIONS x taps: Kaiser-windowed sinc."""
    fraction = (np.arange(FRACTIONS) + 0.5) / FRACTIONS
    distance = np.arange(taps)[None, :] - taps // 2 + 1 - fraction[:, None]
    window = np.i0(2.5 * np.sqrt(np.maximum(0, 1 - (distance / (taps / 2)) ** 2))) / np.i0(2.5)
    return (np.sinc(distance) * window).astype(np.float32)


def migration(g, columns, bins, cells, taps):
    """First cell that the interpolation reads (int32) and index into the table of weights (int16), each columns x
    bins.
    """
    position = (g.range_m(columns)[:, None] / g.migration_factor(bins)[None, :] - g.near_range_m) / g.range_spacing_m
    base = np.floor(position)
    fraction = ((position - base) * FRACTIONS).astype(np.int16)
    first = np.clip(base - taps // 2 + 1, 0, cells - taps).astype(np.int32)
    return first, fraction


# ---- The chains of the libraries -------------------------------------------------------------------------------------


class ScipyChain:
    """scipy.fft with all cores; `turned` turns the matrix as cornerturn does, else the azimuth transforms run down
    the columns.
    """

    name = "SciPy"

    def __init__(self, tables, turned, threads):
        self.h, self.filter, self.rcmc = tables
        self.turned = turned or self.rcmc is not None
        self.threads = threads
        if not self.turned:
            self.filter = np.ascontiguousarray(self.filter.T)

    def place(self, x):
        return x.copy()

    def run(self, x):
        with scipy.fft.set_workers(self.threads):
            x = scipy.fft.fft(x, axis=1, overwrite_x=True)
            x *= self.h
            x = scipy.fft.ifft(x, axis=1, overwrite_x=True)
            if self.turned:
                x = np.ascontiguousarray(x.T)
            axis = 1 if self.turned else 0
            x = scipy.fft.fft(x, axis=axis, overwrite_x=True)
            if self.rcmc is not None:
                x = self.correct(x)
            x *= self.filter
            return scipy.fft.ifft(x, axis=axis, overwrite_x=True)

    def correct(self, x):
        first, fraction, table = self.rcmc
        y = np.zeros((first.shape[0], x.shape[1]), np.complex64)
        for tap in range(table.shape[1]):
            y += table[fraction, tap] * np.take_along_axis(x, first + tap, axis=0)
        return y

    def fetch(self, y):
        return y if self.turned else y.T

    def wait(self):
        pass


class CupyChain:
    name = "CuPy"

    def __init__(self, tables, cupy):
        self.cupy = cupy
        self.h, self.filter = cupy.asarray(tables[0]), cupy.asarray(tables[1])
        self.rcmc = tables[2] and [cupy.asarray(table) for table in tables[2]]

    def place(self, x):
        return self.cupy.asarray(x)

    def run(self, x):
        fft, ifft = self.cupy.fft.fft, self.cupy.fft.ifft
        x = fft(x, axis=1)
        x *= self.h
        x = self.cupy.ascontiguousarray(ifft(x, axis=1).T)
        x = fft(x, axis=1)
        if self.rcmc is not None:
            first, fraction, table = self.rcmc
            y = self.cupy.zeros((first.shape[0], x.shape[1]), self.cupy.complex64)
            for tap in range(table.shape[1]):
                y += table[fraction, tap] * self.cupy.take_along_axis(x, first + tap, axis=0)
            x = y
        x *= self.filter
        return ifft(x, axis=1)

    def fetch(self, y):
        return self.cupy.asnumpy(y)

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class TorchChain:
    name = "PyTorch"

    def __init__(self, tables, torch, device, threads):
        self.torch, self.device = torch, device
        if device == "cpu":
            torch.set_num_threads(threads)
        self.h, self.filter = (torch.from_numpy(table).to(device) for table in tables[:2])
        self.rcmc = None
        if tables[2] is not None:
            first, fraction, table = tables[2]
            self.rcmc = [
                torch.from_numpy(first.astype(np.int64)).to(device),
                torch.from_numpy(fraction.astype(np.int64)).to(device),
                torch.from_numpy(table).to(device),
            ]

    def place(self, x):
        return self.torch.from_numpy(x.copy()).to(self.device)

    def run(self, x):
        torch = self.torch
        with torch.no_grad():
            x = torch.fft.fft(x, dim=1)
            x *= self.h
            x = torch.fft.ifft(x, dim=1).T.contiguous()
            x = torch.fft.fft(x, dim=1)
            if self.rcmc is not None:
                first, fraction, table = self.rcmc
                y = torch.zeros((first.shape[0], x.shape[1]), dtype=torch.complex64, device=self.device)
                for tap in range(table.shape[1]):
                    y += table[:, tap][fraction] * torch.gather(x, 0, first + tap)
                x = y
            x *= self.filter
            return torch.fft.ifft(x, dim=1)

    def fetch(self, y):
        return y.cpu().numpy()

    def wait(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


def tables_of(g, columns, bins, cells, taps):
    """Range filter, azimuth filter and, with migration correction, its index tables."""
    rcmc = None
    if taps:
        rcmc = (*migration(g, columns, bins, cells, taps), sinc_table(taps))
    return range_filter(g, cells), azimuth_filter(g, columns, bins), rcmc


# ---- A real scene, focused twice -------------------------------------------------------------------------------------


def cornerturn(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"cornerturn {' '.join(map(str, arguments))}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def read_echo(path):
    with h5py.File(path) as file:
        swath = file["science/LSAR/RRSD/swaths/frequencyA/txH"]
        processing = file["science/LSAR/RRSD/metadata/processingInformation/parameters"]
        truth = file["science/LSAR/RRSD/metadata/simulation/targets"]
        g = Geometry(
            carrier_hz=swath["centerFrequency"][()],
            prf_hz=swath["nominalAcquisitionPRF"][()],
            sample_rate_hz=swath["rangeSamplingFrequency"][()],
            near_range_m=swath["slantRange"][0],
            chirp_slope_hz_s=swath["chirpSlope"][()],
            chirp_duration_s=swath["chirpDuration"][()],
            velocity_m_s=processing["effectiveVelocity"][()],
        )
        points = np.stack([truth["slantRange"][:], truth["zeroDopplerTime"][:]], axis=1)
        return g, swath["rxH/HH"][:], swath["UTCtime"][0], points


def read_image(path):
    with h5py.File(path) as file:
        swath = file["science/LSAR/RSLC/swaths"]
        return (
            swath["frequencyA/HH"][:],
            swath["zeroDopplerTime"][0],
            swath["zeroDopplerTimeSpacing"][()],
            swath["frequencyA/slantRange"][0],
            swath["frequencyA/slantRangeSpacing"][()],
        )


def peak(image, row, column):
    """Place and value of the maximum near a place: the patch oversampled 32 times by zeros in its spectrum, then a
    parabola.
    """
    half, finesse = 16, 32
    first_row, first_column = round(row) - half, round(column) - half
    patch = image[first_row : first_row + 2 * half, first_column : first_column + 2 * half]
    spectrum = np.fft.fftshift(np.fft.fft2(patch))
    pad = (2 * half * finesse - 2 * half) // 2
    fine = np.fft.ifft2(np.fft.ifftshift(np.pad(spectrum, pad))) * finesse**2
    centre = fine[(half - 4) * finesse : (half + 4) * finesse, (half - 4) * finesse : (half + 4) * finesse]
    i, k = np.unravel_index(np.argmax(np.abs(centre)), centre.shape)
    i, k = i + (half - 4) * finesse, k + (half - 4) * finesse

    def vertex(a, b, c):
        return 0.5 * (a - c) / (a - 2 * b + c)

    magnitude = np.abs(fine)
    di = vertex(magnitude[i - 1, k], magnitude[i, k], magnitude[i + 1, k])
    dk = vertex(magnitude[i, k - 1], magnitude[i, k], magnitude[i, k + 1])
    return first_row + (i + di) / finesse, first_column + (k + dk) / finesse, fine[i, k]


def signal_to_error_db(got, expected, free_scale=False):
    got, expected = got.astype(np.complex128).ravel(), expected.astype(np.complex128).ravel()
    if free_scale:
        got = got * (np.vdot(got, expected) / np.vdot(got, got))
    error = np.sum(np.abs(got - expected) ** 2)
    return 999.0 if error == 0 else 10 * math.log10(np.sum(np.abs(expected) ** 2) / error)


def check_scene(program, device, threads):
    """Focuses a simulated scene by cornerturn and by the chain above; how far apart are the images?"""
    with tempfile.TemporaryDirectory() as folder:
        scene, raw, slc = (os.path.join(folder, name) for name in ("scene.yaml", "raw.h5", "slc.h5"))
        pathlib.Path(scene).write_text("preset: spaceborne\nlines: 2048\nsamples: 2048\n")
        cornerturn(program, "--quiet", "simulate", scene, "-o", raw)
        cornerturn(program, "--quiet", "focus", raw, "-o", slc, "--device", device)
        g, echo, first_time_s, points = read_echo(raw)
        image, row_time_s, row_spacing_s, near_m, spacing_m = read_image(slc)
    if abs(row_time_s - first_time_s) > 1e-6 or abs(near_m - g.near_range_m) > 1e-6:
        raise RuntimeError("the image's grid is not the echo's")

    # Room for the aperture and the chirp, so that nothing wraps; migration bends to greater ranges only.
    bins, cells = scipy.fft.next_fast_len(echo.shape[0] + 1200), scipy.fft.next_fast_len(echo.shape[1] + 1500)
    padded = np.zeros((bins, cells), np.complex64)
    padded[: echo.shape[0], : echo.shape[1]] = echo
    columns = image.shape[1]
    chain = ScipyChain(tables_of(g, columns, bins, cells, 16), True, threads)
    peer = chain.fetch(chain.run(chain.place(padded))).T[: image.shape[0]]

    offset_px, phase_deg, patches, scale = [], [], [], None
    for range_m, time_s in points:
        place = ((time_s - row_time_s) / row_spacing_s, (range_m - near_m) / spacing_m)
        ours, theirs = peak(image, *place), peak(peer, *place)
        offset_px.append(max(abs(ours[0] - theirs[0]), abs(ours[1] - theirs[1])))
        ratio = theirs[2] / ours[2]
        scale = scale or ratio  # one for all points: a constant gain and phase
        phase_deg.append(abs(np.degrees(np.angle(ratio / scale))))
        # Main lobe and ten sidelobes each way: cornerturn ends its range filter some 64 samples out, this one goes on for ever.
        near = tuple(slice(round(p) - 16, round(p) + 17) for p in place)
        patches.append((peer[near], image[near]))
    theirs, ours = (np.stack(side) for side in zip(*patches))
    result = {
        "device": device,
        "points": len(points),
        "largest_offset_px": max(offset_px),
        "largest_phase_deg": max(phase_deg),
        "signal_to_error_db": signal_to_error_db(theirs, ours, free_scale=True),
    }
    result["passed"] = bool(
        result["largest_offset_px"] < 0.01 and result["largest_phase_deg"] < 0.5 and result["signal_to_error_db"] > 30
    )
    return result


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


def compare_on(device, size, arguments, modules, skipped):
    """Rows of the table for one device and size."""
    x = random_data(size)
    g = Geometry()
    rows, entries, reference = [], [], {}
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
            entries.append({"name": name, "taps": taps, "check_db": db, "chain": chain, "times": []})
        del reference

    ours = []
    for chain in arguments.chains if device != "cpu" else ["auto"]:
        ours.append({"name": "cornerturn", "chain": chain, "taps": arguments.taps, "times": []})
    for _ in range(arguments.rounds):  # in turn, so that a busy machine is busy for all
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
        for entry in entries:
            # The libraries' migration correction takes ten times as long: two runs a round tell enough.
            entry["times"] += time_chain(
                entry["chain"], x, min(arguments.repeat, 2) if entry["taps"] else arguments.repeat
            )
    for entry in ours:
        if not entry["times"]:
            skipped.append(f"cornerturn on {device}, {size} x {size}, chain {entry['chain']}: {entry['error']}")
    timed = [entry for entry in ours if entry["times"]]
    best_ms = min((float(np.median(entry["times"])) for entry in timed), default=None)
    for entry in timed + entries:
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


# ---- Exact back-projection -------------------------------------------------------------------------------------------


def collection(size, lines):
    """The collection of `cornerturn bench backprojection --size SIZE --lines LINES`: antenna, first frequency, step,
    samples.
    """
    carrier_hz, range_m, grazing, aperture, pixel_m, cell_m = (
        9.6e9,
        770e3,
        math.radians(43),
        math.radians(1),
        0.699,
        0.25,
    )
    track_m = 2 * range_m * math.tan(aperture / 2)
    x = track_m * ((np.arange(lines) + 0.5) / lines - 0.5)
    antenna = np.stack(
        [x, np.full(lines, -range_m * math.cos(grazing)), np.full(lines, range_m * math.sin(grazing))], axis=1
    )
    bandwidth_hz = C_M_S / (4 * cell_m)  # cells hold twice as much
    span_m = 1.3 * size * pixel_m  # unambiguous range beyond the image's diagonal
    samples = 1 << math.ceil(math.log2(2 * bandwidth_hz * span_m / C_M_S))
    return antenna, carrier_hz - bandwidth_hz / 2, bandwidth_hz / samples, samples, pixel_m


def time_fastsar(former, history, repeat):
    former(history)
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        former(history)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def compare_backprojection(device, arguments, skipped):
    """Rows of the table, and FastSAR's figures hold its range compression and transfers: exact formers have no other
    interface.
    """
    size, lines = arguments.backprojection
    row = {"device": device, "size": size, "lines": lines}
    ours = json.loads(
        cornerturn(
            arguments.program,
            "bench",
            "backprojection",
            "--device",
            device,
            "--size",
            str(size),
            "--lines",
            str(lines),
            "--accuracy",
            "87",
            "100",
            "--repeat",
            str(arguments.repeat),
            "--threads",
            str(arguments.threads),
            "--json",
        )
    )
    rows = [
        dict(row, name=f"cornerturn, {step['signal_to_error_db']:.0f} dB", median_ms=step["median_ms"])
        for step in ours["steps"]
    ]
    best_ms = rows[-1]["median_ms"]
    try:
        import fastsar
    except ImportError as error:
        skipped.append(f"FastSAR: {error}")
        return rows
    antenna, first_hz, step_hz, samples, pixel_m = collection(size, lines)
    random = np.random.default_rng(1)
    history = (
        random.standard_normal((lines, samples), np.float32) + 1j * random.standard_normal((lines, samples), np.float32)
    ).astype(np.complex64)
    for interp, upsample in (("linear", 8), ("cubic", 8)):
        former = fastsar.ExactFormer(
            antenna,
            first_hz,
            step_hz,
            samples,
            size,
            size,
            pixel_m,
            pixel_m,
            backend=device,
            interp=interp,
            upsample=upsample,
        )
        times = time_fastsar(former, history, arguments.repeat)
        rows.append(
            dict(
                row,
                name=f"FastSAR {fastsar.__version__} exact, {interp}, with range compression",
                median_ms=float(np.median(times)),
            )
        )
    for entry in rows:
        entry["gpixel_lines_per_s"] = 1e-6 * size * size * lines / entry["median_ms"]
        entry["slower_than_cornerturn"] = entry["median_ms"] / best_ms
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


def main():
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

    skipped = []
    if arguments.install:
        peer_jobs.install(skipped)
    modules = load_modules(skipped)
    there = json.loads(cornerturn(arguments.program, "devices", "--json"))
    has_gpu = any(device["name"].startswith("cuda") for device in there["devices"])
    devices = {"cpu": ["cpu"], "cuda": ["cuda"], "all": ["cpu", "cuda"], "auto": ["cuda" if has_gpu else "cpu"]}[
        arguments.device
    ]
    if "cuda" in devices and not has_gpu:
        skipped.append(f"cuda: {there['cuda_status']}")
        devices.remove("cuda")
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
        if arguments.jobs:
            print(f"timing whole jobs on {device} ...", file=sys.stderr)
            report["jobs"] += peer_jobs.compare_jobs(device, arguments, skipped)
            continue
        if arguments.backprojection:
            print(f"timing back-projection on {device} ...", file=sys.stderr)
            report["backprojection"] += compare_backprojection(device, arguments, skipped)
            continue
        print(f"checking a scene on {device} ...", file=sys.stderr)
        report["scenes"].append(check_scene(arguments.program, device, arguments.threads))
        if not report["scenes"][-1]["passed"]:
            print(markdown(report))
            return 1
        for size in arguments.size:
            print(f"timing {size} x {size} on {device} ...", file=sys.stderr)
            report["rows"] += compare_on(device, size, arguments, modules, skipped)
    if arguments.json == "-":
        print(json.dumps(report, indent=2, default=float))
        return 0
    print(markdown(report))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(report, indent=2, default=float) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
