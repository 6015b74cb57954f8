# SPDX-License-Identifier: Apache-2.0
"""A simulated scene, focused by cornerturn and by the plain algorithm of peer_chains: how far apart are the images? For
scripts/compare-peers.
"""

import math
import os
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np
import scipy
import scipy.fft

from peer_chains import Geometry, ScipyChain, tables_of


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
    # Rows that the echo sees too little of are left out at both ends; ranges are those of closest approach, which in
    # exact geometry lies a fraction of a millimetre nearer than half the way of the pulse.
    first_row = round((row_time_s - first_time_s) / row_spacing_s)
    if (
        abs(row_time_s - first_time_s - first_row * row_spacing_s) > 1e-6
        or first_row < 0
        or abs(near_m - g.near_range_m) > 1e-3 * spacing_m
    ):
        raise RuntimeError("the image's grid is not the echo's")

    # Room for the aperture and the chirp, so that nothing wraps; migration bends to greater ranges only.
    bins, cells = scipy.fft.next_fast_len(echo.shape[0] + 1200), scipy.fft.next_fast_len(echo.shape[1] + 1500)
    padded = np.zeros((bins, cells), np.complex64)
    padded[: echo.shape[0], : echo.shape[1]] = echo
    columns = image.shape[1]
    chain = ScipyChain(tables_of(g, columns, bins, cells, 16), True, threads)
    peer = chain.fetch(chain.run(chain.place(padded))).T[first_row : first_row + image.shape[0]]

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
