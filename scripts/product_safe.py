# SPDX-License-Identifier: Apache-2.0
"""Bursts of Sentinel-1 as a SAFE folder, read by GDAL, xarray-sentinel and sarsen. For scripts/check-products."""

import json
import subprocess

import numpy as np

from product_points import peak, said_of, samples_of

# The raw files' names do not tell satellite and orbit: that of the folder does.
NAME = "S1A_IW_SLC__1SSV_20250615T051941_20250615T051951_059651_0768B3_0000.SAFE"
# Of spectra, of 486 Hz, once the phase along the bursts is taken off: how far bursts may lie beside zero, and targets
# beside one another along a burst. The antenna of these files points 47 Hz beside zero Doppler, which points cannot
# tell to the program; steering makes 9.6 to 13.1 Hz of that in the image.
LARGEST_HZ, LARGEST_SPREAD_HZ = 15, 1
LARGEST_M = 5  # between lines of the geolocation grid, which lie 20 km apart: the curvature of the ground is left out
HALF = 16


class Bursts:
    """One raw file, its truth, and the SAFE folder that the program makes of it."""

    def __init__(self, program, folder, tops, name):
        self.program, self.folder, self.raw = program, folder, tops / f"{name}.dat"
        self.truth = json.loads((tops / f"{name}_truth.json").read_text())
        self.orbit = tops / f"{name}_orbit.EOF"
        self.path = folder / NAME
        self.focus(self.path)

    def focus(self, path, *options):
        command = [self.program, "focus", self.raw, "--orbit", self.orbit, "-o", path, *options]
        subprocess.run([*map(str, command)], check=True, capture_output=True)
        return path

    def polarization(self):
        return "HH" if self.raw.stem == "iw2" else "VV"

    def swaths(self):
        return sorted({burst["swath"] for burst in self.truth["bursts"]})

    def group(self, *names):
        import xarray_sentinel

        path = "/".join([names[0], self.polarization(), *names[1:]])
        return xarray_sentinel.open_sentinel1_dataset(str(self.path), group=path)

    def seen(self, swath, burst):
        """Targets that the burst sees whole."""
        for target in self.truth["targets"]:
            if any(view["swath"] == swath and view["burst"] == burst and view["whole_echo"] and view["gain_sum"] > 60
                   and not view["lobe_cut"] for view in target["seen"]):
                yield target


def seconds(times, since):
    return (times - since) / np.timedelta64(1, "ns") * 1e-9


def pixels_by_sarsen(bursts, swath):
    """[(burst, line in it, sample)] of the targets, by sarsen's geometry on the orbit and axes of the annotation."""
    import xarray as xr
    from sarsen import geocoding
    from sarsen.orbit import OrbitPolyfitInterpolator

    image, position = bursts.group(swath), bursts.group(swath, "orbit").position
    lines, delay_s = image.attrs["lines_per_burst"], image.slant_range_time.values
    orbit = OrbitPolyfitInterpolator.from_position(position, deg=7)
    found = []
    for burst in range(image.attrs["number_of_bursts"]):
        times = image.azimuth_time.values[burst * lines : (burst + 1) * lines]
        targets = list(bursts.seen(swath, burst))
        places = xr.DataArray(np.array([t["ecef"] for t in targets]).T, dims=("axis", "target"),
                              coords={"axis": [0, 1, 2]})
        guess = float(orbit.azimuth_time_to_orbit_time(xr.DataArray(times[lines // 2])))
        time, distance, _ = geocoding.backward_geocode_simple(places, orbit, orbit_time_guess=guess,
                                                              zero_doppler_distance=1e-5, method="newton")
        range_m = np.sqrt((distance**2).sum("axis")).values
        start_s = float(orbit.azimuth_time_to_orbit_time(xr.DataArray(times[0])))
        for line, sample in zip((time.values - start_s) / image.attrs["azimuth_time_interval"],
                                (2 * range_m / 299792458 - delay_s[0]) * image.attrs["range_sampling_rate"]):
            if HALF < line < lines - HALF and HALF < sample < len(delay_s) - HALF:
                found.append((burst, line, sample))
    return found


def targets(bursts):
    offsets = []
    for swath in bursts.swaths():
        image = bursts.group(swath)
        samples, lines = image.measurement.values, image.attrs["lines_per_burst"]
        for burst, line, sample in pixels_by_sarsen(bursts, swath):
            top, left = burst * lines + round(line) - HALF, round(sample) - HALF
            at = peak(samples[top : top + 2 * HALF, left : left + 2 * HALF])
            offsets.append((top + at[0] - burst * lines - line, left + at[1] - sample))
    return said_of(np.array(offsets)) + ", by sarsen on the orbit and axes that xarray-sentinel reads"


def polynomial(dataset, name, burst, delay_s):
    record = dataset.isel(azimuth_time=burst)
    return np.polynomial.polynomial.polyval(delay_s - float(record.t0), record[name].values)


def phase_along(bursts, swath, burst):
    """In radians over the burst's lines and samples, with the centroid (Miranda, Definition of the TOPS SLC deramping
    function, COPE-GSEG-EOPG-TN-14-0025, sections 5 and 6)."""
    image, orbit = bursts.group(swath), bursts.group(swath, "orbit")
    lines, delay_s = image.attrs["lines_per_burst"], image.slant_range_time.values
    centre = image.azimuth_time.values[burst * lines + lines // 2]
    speed_m_s = np.linalg.norm(orbit.velocity.interp(azimuth_time=centre).values)
    steering = np.radians(image.attrs["azimuth_steering_rate"])
    sweep = 2 * speed_m_s * steering * image.attrs["radar_frequency"] * 1e9 / 299792458
    rate = polynomial(bursts.group(swath, "azimuth_fm_rate"), "azimuth_fm_rate_polynomial", burst, delay_s)
    centroid = polynomial(bursts.group(swath, "dc_estimate"), "data_dc_polynomial", burst, delay_s)
    total = rate * sweep / (rate - sweep)
    passed = -centroid / rate
    time = (np.arange(lines) - lines // 2)[:, None] * image.attrs["azimuth_time_interval"]
    time = time - (passed - passed[len(passed) // 2])
    return np.pi * total * time**2 + 2 * np.pi * centroid * time


def middle_hz(samples, spacing_s):
    """Of a spectrum along lines, as the angle between neighbours tells."""
    return np.angle(np.sum(samples[1:] * np.conj(samples[:-1]))) / (2 * np.pi * spacing_s)


def spectra(bursts):
    of_bursts, of_targets, spread = [], [], 0
    for swath in bursts.swaths():
        image = bursts.group(swath)
        lines, spacing_s = image.attrs["lines_per_burst"], image.attrs["azimuth_time_interval"]
        at = pixels_by_sarsen(bursts, swath)
        for burst in range(image.attrs["number_of_bursts"]):
            samples = image.measurement.values[burst * lines : (burst + 1) * lines].astype(complex)
            flat = samples * np.exp(-1j * phase_along(bursts, swath, burst))
            of_bursts.append(middle_hz(flat, spacing_s))
            own = []
            for _, line, sample in (one for one in at if one[0] == burst):
                row, column = round(line), round(sample)
                own.append(middle_hz(flat[row - HALF : row + HALF, column - 2 : column + 3], spacing_s))
            of_targets += own
            spread = max(spread, np.ptp(own))
    worst_burst, worst = np.abs(of_bursts).max(), np.abs(of_targets).max()
    said = (f"without the phase of their law {len(of_bursts)} bursts lie within {worst_burst:.1f} Hz of zero, "
            f"{len(of_targets)} targets within {worst:.1f} Hz, those of one burst within {spread:.1f} Hz")
    if not (worst < LARGEST_HZ and worst_burst < LARGEST_HZ and spread < LARGEST_SPREAD_HZ):
        raise ValueError(said)
    return said


def places(bursts):
    """Of targets by the geolocation grid at their times and ranges, in metres beside their truth."""
    since = np.datetime64("1980-01-06T00:00:00", "ns") + np.timedelta64(
        (bursts.truth["epoch"]["gps_seconds"] - bursts.truth["epoch"]["leap_seconds"]) * 10**9, "ns")
    worst = 0
    for swath in bursts.swaths():
        grid = bursts.group(swath, "gcp")
        for target in {t["id"]: t for burst in range(3) for t in bursts.seen(swath, burst)}.values():
            time = since + np.timedelta64(round(target["zero_doppler_time"] * 1e9), "ns")
            at = grid.interp(azimuth_time=time, slant_range_time=2 * target["closest_slant_range"] / 299792458)
            north, east = float(at.latitude) - target["latitude"], float(at.longitude) - target["longitude"]
            beside = np.radians([north, east * np.cos(np.radians(target["latitude"]))]) * 6378137
            worst = max(worst, np.hypot(*beside))
    if not worst < LARGEST_M:
        raise ValueError(f"places are up to {worst:.1f} m off")
    return f"places of targets by the geolocation grid, interpolated linearly, within {worst:.1f} m"


def samples_by_gdal(bursts):
    """The same as in the HDF5 image of each burst, in steps of the annotation's scale."""
    import h5py
    import rasterio

    worst, compared, left_out = 0, 0, 0
    for swath in bursts.swaths():
        image = bursts.group(swath)
        scale = float(bursts.group(swath, "calibration").betaNought.values[0, 0])
        path = f"{bursts.path}/manifest.safe:{swath}_{bursts.polarization()}:COMPLEX"
        with rasterio.open(f"SENTINEL1_CALIB:UNCALIB:{path}") as data:
            stored = data.read(1)
        first_delay_s, lines = image.slant_range_time.values[0], image.attrs["lines_per_burst"]
        for burst in range(image.attrs["number_of_bursts"]):
            path = bursts.focus(bursts.folder / "burst.h5", "--swath", swath, "--burst", burst)
            with h5py.File(path) as file:
                swaths = file["science/LSAR/RSLC/swaths"]
                exact, ranges = samples_of(file)[()], swaths["frequencyA/slantRange"][()]
                valid, times = swaths["frequencyA/validSamplesSubSwath1"][()], swaths["zeroDopplerTime"][()]
                since = np.datetime64(swaths["zeroDopplerTime"].attrs["units"].decode().split("since ")[1], "ns")
            column = round((299792458 * first_delay_s / 2 - ranges[0]) / (ranges[1] - ranges[0]))
            own = stored[burst * lines : (burst + 1) * lines]
            start_s = seconds(image.azimuth_time.values[burst * lines], since)
            row = round((start_s - times[0]) / (times[1] - times[0]))
            for line in range(lines):
                first, last = valid[row + line] if 0 <= row + line < len(valid) else (0, 0)
                if last > first and not own[line].any():
                    left_out += 1
                    continue
                there = own[line, first - column : last - column] if last > first else own[line, :0]
                worst = max(worst, np.abs(there - scale * exact[row + line, first:last]).max(initial=0))
                compared += there.size
                if np.count_nonzero(own[line]) > there.size:
                    raise ValueError(f"{swath} {burst}: line {line} holds more than what is valid")
    if worst > 0.75:  # half a step of each part
        raise ValueError(f"samples are {worst:.2f} steps off")
    if left_out > 4 * len(bursts.truth["bursts"]):  # at either end two, of which only some samples are valid
        raise ValueError(f"{left_out} lines with valid samples are empty")
    return (f"{compared} samples of CInt16 within {worst:.2f} steps of those in HDF5, {left_out} lines that are valid "
            "in part are empty")


def checks_of_bursts():
    return [("SAFE by GDAL", samples_by_gdal, ()), ("SAFE by sarsen", targets, ()), ("SAFE, deramped", spectra, ()),
            ("SAFE, places", places, ())]
