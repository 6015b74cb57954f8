# SPDX-License-Identifier: Apache-2.0
"""Exact back-projection of one collection by cornerturn and by FastSAR. For scripts/compare-peers --backprojection."""

import json
import math
import time

import numpy as np

from peer_chains import C_M_S
from peer_scene import cornerturn


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
