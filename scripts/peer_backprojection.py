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


def rows_of_cornerturn(device, arguments):
    """(name, milliseconds) by the bench, for each accuracy."""
    size, lines = arguments.backprojection
    words = (
        f"bench backprojection --device {device} --size {size} --lines {lines} --accuracy 87 100"
        f" --repeat {arguments.repeat} --threads {arguments.threads} --json"
    )
    ours = json.loads(cornerturn(arguments.program, *words.split()))
    return [(f"cornerturn, {step['signal_to_error_db']:.0f} dB", step["median_ms"]) for step in ours["steps"]]


def rows_of_fastsar(fastsar, device, arguments):
    """(name, milliseconds) by each way of interpolation."""
    size, lines = arguments.backprojection
    antenna, first_hz, step_hz, samples, pixel_m = collection(size, lines)
    random = np.random.default_rng(1)
    history = (
        random.standard_normal((lines, samples), np.float32) + 1j * random.standard_normal((lines, samples), np.float32)
    ).astype(np.complex64)
    rows = []
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
        name = f"FastSAR {fastsar.__version__} exact, {interp}, with range compression"
        rows.append((name, float(np.median(times))))
    return rows


def compare_backprojection(device, arguments, skipped):
    """Rows of the table, and FastSAR's figures hold its range compression and transfers: exact formers have no other
    interface.
    """
    size, lines = arguments.backprojection
    timed = rows_of_cornerturn(device, arguments)
    best_ms = timed[-1][1]
    try:
        import fastsar

        timed += rows_of_fastsar(fastsar, device, arguments)
    except ImportError as error:
        skipped.append(f"FastSAR: {error}")
    return [
        {
            "device": device,
            "size": size,
            "lines": lines,
            "name": name,
            "median_ms": median_ms,
            "gpixel_lines_per_s": 1e-6 * size * size * lines / median_ms,
            "slower_than_cornerturn": median_ms / best_ms,
        }
        for name, median_ms in timed
    ]
