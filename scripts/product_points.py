# SPDX-License-Identifier: Apache-2.0
"""Where points of an image lie, by the samples and the geometry that another program reads. For scripts/check-products
and scripts/check-foreign-readers."""

import numpy as np

LARGEST_PX = 0.1  # that a target may be off, by another program's geometry


def samples_of(file):
    """Dataset of the first polarization of an RSLC or GSLC that h5py has opened."""
    band = file["science"][next(iter(file["science"]))]
    group = band["RSLC/swaths/frequencyA" if "RSLC" in band else "GSLC/grids/frequencyA"]
    return group[next(name for name in ("HH", "VV") if name in group)]


def geographic(place_m):
    """Longitude and latitude in degrees and height in m of a place in ECEF (Bowring, iterated)."""
    a, b = 6378137.0, 6356752.314245179
    x, y, z = place_m
    across, squared = np.hypot(x, y), 1 - (b / a) ** 2
    latitude = np.arctan2(z, across * (1 - squared))
    for _ in range(8):
        normal = a / np.sqrt(1 - squared * np.sin(latitude) ** 2)
        latitude = np.arctan2(z + squared * normal * np.sin(latitude), across)
    return np.degrees(np.arctan2(y, x)), np.degrees(latitude), across / np.cos(latitude) - normal


def state_at(orbit, time):
    """Position and velocity, by the polynomial through those of the four state vectors about a time."""
    from numpy.polynomial import Polynomial

    times, positions, velocities = (orbit[name][()] for name in ("time", "position", "velocity"))
    at = np.clip(np.searchsorted(times, time) - 2, 0, len(times) - 4)
    middle, scale = times[at + 1], times[at + 1] - times[at]
    known = (times[at : at + 4] - middle) / scale
    powers = np.arange(8)
    rows = np.concatenate([known[:, None] ** powers, powers * known[:, None] ** np.maximum(powers - 1, 0)])
    state = []
    for axis in range(3):
        right = np.concatenate([positions[at : at + 4, axis], scale * velocities[at : at + 4, axis]])
        polynomial = Polynomial(np.linalg.solve(rows, right))
        state.append((polynomial((time - middle) / scale), polynomial.deriv()((time - middle) / scale) / scale))
    return np.array([s[0] for s in state]), np.array([s[1] for s in state])


def place_of(state, range_m, height_m, left):
    """ECEF of what is at zero Doppler of an antenna (position, velocity), at a range, above the ellipsoid."""
    position, velocity = state
    across = np.cross(velocity, position) if not left else np.cross(position, velocity)
    across, down = across / np.linalg.norm(across), -position / np.linalg.norm(position)
    down = down - down.dot(velocity) * velocity / velocity.dot(velocity)
    down /= np.linalg.norm(down)
    near, far = 0.0, np.pi / 2  # off straight down, in the plane of zero Doppler
    for _ in range(80):
        angle = 0.5 * (near + far)
        place = position + range_m * (np.cos(angle) * down + np.sin(angle) * across)
        near, far = (angle, far) if geographic(place)[2] < height_m else (near, angle)
    return place


def peak(patch):
    """(row, column) of the brightest place of a patch, between samples by its spectrum, moved to zero before."""
    finer = 16
    rows, columns = patch.shape
    patch = patch.astype(complex)
    for axis in (0, 1):
        turn = np.angle(np.sum(np.delete(patch, 0, axis) * np.conj(np.delete(patch, -1, axis))))
        steps = np.exp(-1j * turn * np.arange(patch.shape[axis]))
        patch = patch * (steps[:, None] if axis == 0 else steps)
    spectrum = np.fft.fftshift(np.fft.fft2(patch))
    wide = np.zeros((rows * finer, columns * finer), complex)
    top, left = (rows * finer - rows) // 2, (columns * finer - columns) // 2
    wide[top : top + rows, left : left + columns] = spectrum
    power = np.abs(np.fft.ifft2(np.fft.ifftshift(wide))) ** 2
    row, column = np.unravel_index(power.argmax(), power.shape)

    def between(before, here, after):
        return 0.5 * (before - after) / (before - 2 * here + after)

    row_part = between(power[row - 1, column], power[row, column], power[(row + 1) % len(power), column])
    column_part = between(power[row, column - 1], power[row, column], power[row, (column + 1) % power.shape[1]])
    return (row + row_part) / finer, (column + column_part) / finer


def offsets_px(read, shape, pixels):
    """By how much targets lie beside their pixels, for those that are 20 pixels or more inside."""
    half, found = 16, []
    for row, column in pixels:
        if not (20 <= row < shape[0] - 20 and 20 <= column < shape[1] - 20):
            continue
        top, left = round(row) - half, round(column) - half
        at = peak(read(top, left, 2 * half))
        found.append((top + at[0] - row, left + at[1] - column))
    if len(found) < 5:
        raise ValueError(f"only {len(found)} of {len(pixels)} targets lie inside")
    return np.array(found)


def said_of(offsets):
    worst = np.abs(offsets).max()
    if not worst <= LARGEST_PX:
        raise ValueError(f"targets are up to {worst:.3f} px beside their place")
    return f"{len(offsets)} targets within {worst:.3f} px"


def read_of_band(data):
    def read(top, left, size):
        return data.read(1, window=((top, top + size), (left, left + size)))

    return read


def squares_of(samples):
    """What reads a square of samples: its first row and column, its size."""
    return lambda top, left, size: samples[top : top + size, left : left + size]
