# SPDX-License-Identifier: Apache-2.0
"""Writes images in every format of docs/products.md and lets other programs open them: what each one said, one line for
each. Targets are looked for in the samples that the other program reads, and at the place that its geometry tells.

Exit code 1 where one failed. Run through scripts/check-products, which makes the virtual environment."""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

LARGEST_PX = 0.1  # that a target may be off, by another program's geometry


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


def peak(patch):
    """(row, column) of the brightest place of a patch, between samples by its spectrum, about whose middle it is taken."""
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


class Images:
    """One scene: the raw file, its truth, and images by the program."""

    def __init__(self, program, folder, raw, targets_m):
        self.program, self.folder, self.raw, self.targets_m = program, Path(folder), raw, targets_m

    def run(self, *arguments):
        subprocess.run([self.program, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def focus(self, name, *options):
        path = self.folder / name
        if not path.exists():
            self.run("focus", self.raw, "-o", path, *options)
        return path

    def convert(self, image, name, *options):
        path = self.folder / name
        self.run("convert", image, "-o", path, *options)
        return path


def cloud_optimised(path):
    from rio_cogeo.cogeo import cog_validate

    import rasterio

    valid, errors, remarks = cog_validate(str(path), strict=True, quiet=True)
    with rasterio.open(path) as data:
        layout = data.tags(ns="IMAGE_STRUCTURE").get("LAYOUT")
    if not valid or errors or remarks or layout != "COG":
        raise ValueError(f"{path.name}: {errors} {remarks} LAYOUT={layout}")


def geotiff_on_radar_grid(images):
    import h5py
    import rasterio
    from rasterio.transform import GCPTransformer

    slc = images.focus("slc.h5")
    for content in ("complex", "amplitude", "db"):
        cloud_optimised(images.convert(slc, f"{content}.tif", "--tiff", content))
    with rasterio.open(images.folder / "complex.tif") as data, h5py.File(slc) as file:
        if not np.array_equal(data.read(1), file["science/LSAR/RSLC/swaths/frequencyA/HH"][()]):
            raise ValueError("reads other samples than h5py")
        points, crs = data.gcps
        if crs.to_epsg() != 4326:
            raise ValueError(f"control points in {crs}")
        with GCPTransformer(points, tps=True) as transformer:
            places = [geographic(x) for x in images.targets_m]
            # rasterio tells the pixel's corner; places of samples are those of centres
            pixels = [
                np.array(transformer.rowcol(longitude, latitude, op=float)).ravel() - 0.5 for longitude, latitude, _ in places
            ]
        return said_of(offsets_px(read_of_band(data), data.shape, pixels)) + ", by control points"


def geotiff_on_map(images, grid, spacing):
    import rasterio
    from rasterio.warp import transform

    options = ("--grid", grid, "--spacing", spacing, "--algorithm", "backprojection")
    path = images.focus(f"{grid}.tif".replace(":", ""), *options)
    cloud_optimised(path)
    with rasterio.open(path) as data:
        places = [geographic(x) for x in images.targets_m]
        xs, ys = transform("EPSG:4326", data.crs, [p[0] for p in places], [p[1] for p in places])
        pixels = [np.array(~data.transform * (x, y))[::-1] - 0.5 for x, y in zip(xs, ys)]
        return said_of(offsets_px(read_of_band(data), data.shape, pixels)) + f", {data.crs}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--orbit", required=True)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name in ("steered", "squint"):
            (Path(folder) / name).mkdir()
            truth = json.loads((Path(arguments.orbit) / f"{name}_truth.json").read_text())
            images = Images(arguments.program, Path(folder) / name, Path(arguments.orbit) / f"{name}.h5",
                            [target["X"] for target in truth["targets"]])
            checks = [("GeoTIFF on the radar grid", geotiff_on_radar_grid, ())]
            if name == "steered":
                checks += [("GeoTIFF in UTM", geotiff_on_map, ("utm", 3)),
                           ("GeoTIFF in degrees", geotiff_on_map, ("geographic", 3))]
            for title, check, more in checks:
                try:
                    print(f"{name:8} {title:28} {check(images, *more)}", flush=True)
                except Exception as error:  # whatever another program says
                    failed = True
                    print(f"{name:8} {title:28} FAILED: {type(error).__name__}: {error}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
