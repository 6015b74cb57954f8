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

from product_points import geographic, offsets_px, place_of, read_of_band, said_of, samples_of, state_at
from product_safe import Bursts, checks_of_bursts
from product_sicd import sicd, sicd_of_integers, sicd_of_map

ORBIT_SCENES = ("steered", "squint", "lband", "wide", "long", "air")
# Their own truth; of the long aperture targets off the plane blur there (README.md of that folder).
SPOTLIGHTS = ("umbra_like", "capella_like", "iceye_like")
BLURS_OFF_PLANE = "iceye_like"
# Of Sentinel-1, with their own truth.
BURSTS = ("iw", "iw2")
# Looking left, and right.
SIMULATED = {
    "nisar": ("nisar", "--lines", "4400", "--samples", "3000"),
    "spaceborne": ("spaceborne", "--lines", "1400"),
}


class Images:
    """One scene: the raw file, its truth, and images by the program."""

    def __init__(self, program, folder, raw, targets_m):
        self.program, self.folder, self.raw, self.targets_m = program, Path(folder), raw, targets_m

    def run(self, *arguments):
        subprocess.run([self.program, *map(str, arguments)], check=True, capture_output=True)

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
            pixels = [np.ravel(transformer.rowcol(east, north, op=float)) - 0.5 for east, north, _ in places]
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


def foreign_files(images):
    """The same image as sarkit, sarpy and GDAL write it, read by the program."""
    import rasterio
    import sarkit.sicd
    from sarpy.io.complex.sicd import SICDReader, SICDWriter

    slc, folder = images.focus("slc.h5"), images.folder
    path = images.convert(slc, "slc.nitf")
    with open(path, "rb") as file, sarkit.sicd.NitfReader(file) as reader:
        metadata, samples = reader.metadata, reader.read_image()
    with open(folder / "sarkit.nitf", "wb") as file, sarkit.sicd.NitfWriter(file, metadata) as writer:
        writer.write_image(samples)
    reader = SICDReader(str(path))
    with SICDWriter(str(folder / "sarpy.nitf"), reader.sicd_meta, check_existence=False) as writer:
        writer.write(reader[:, :])
    with rasterio.open(images.convert(slc, "complex.tif")) as data:
        tags, whole = data.tags(), data.read(1)
    for name, how in (("gdal.tif", {"driver": "GTiff", "compress": "deflate", "tiled": True}),
                      ("gdal_big.tif", {"driver": "GTiff", "compress": "lzw", "ENDIANNESS": "BIG"})):
        with rasterio.open(folder / name, "w", dtype="complex64", count=1, height=whole.shape[0],
                           width=whole.shape[1], **how) as data:
            data.update_tags(**tags)
            data.write(whole, 1)
    names = ("sarkit.nitf", "sarpy.nitf", "gdal.tif", "gdal_big.tif")
    for name in names:
        out = subprocess.run([images.program, "compare", slc, folder / name, "--whole", "--json"], check=True,
                             capture_output=True, text=True).stdout
        if not json.loads(out)["identical"]:
            raise ValueError(f"{name} is read with other samples than were written")
    return f"{', '.join(names)}: the same samples at the same times and ranges"


def geotiff_of_integers(images):
    import h5py
    import rasterio

    slc = images.focus("slc.h5")
    path = images.convert(slc, "int16.tif", "--sample-type", "int16")
    cloud_optimised(path)
    with rasterio.open(path) as data, h5py.File(slc) as file:
        exact = samples_of(file)[()]
        if data.dtypes[0] != "complex_int16" or data.scales[0] == 1:
            raise ValueError(f"{data.dtypes[0]}, scale {data.scales[0]}")
        error = np.abs(data.read(1) * data.scales[0] - exact).max() / data.scales[0]
        if error > 0.75:  # half a step of each part
            raise ValueError(f"samples are {error:.2f} steps off")
    return f"CInt16 within {error:.2f} steps of {np.abs(exact).max() / 32767:.2g}"


def envi(images):
    import h5py
    import rasterio

    slc = images.focus("slc.h5")
    with rasterio.open(images.convert(slc, "flat.slc")) as data, h5py.File(slc) as file:
        exact = samples_of(file)[()]
        if not np.array_equal(data.read(1), exact):
            raise ValueError("GDAL reads other samples than h5py")
    with rasterio.open(images.folder / "flat.slc", driver="ISCE") as data:
        if not np.array_equal(data.read(1), exact):
            raise ValueError("GDAL's driver of ISCE's files reads other samples than h5py")
    path = images.focus("flat.slc.h5", "--grid", "utm", "--spacing", 10, "--algorithm", "backprojection")
    flat = images.convert(path, "map.slc")
    with rasterio.open(flat) as data, rasterio.open(images.convert(path, "map.tif")) as same:
        if not np.allclose(data.transform, same.transform, rtol=1e-12) or data.crs != same.crs:
            raise ValueError(f"lies at {data.transform} in {data.crs}, the GeoTIFF at {same.transform} in {same.crs}")
        with rasterio.open(flat, driver="ISCE") as isce:
            if not np.allclose(isce.transform, same.transform, rtol=1e-12):
                raise ValueError(f"by ISCE's XML it lies at {isce.transform}, the GeoTIFF at {same.transform}")
    return f"by GDAL, by either header, on the radar grid and in {data.crs}"


def halves(images):
    """RSLC of halves: read by h5py, and by the program, which finds the targets in it."""
    import h5py

    slc = images.focus("slc.h5")
    path = images.convert(slc, "half.h5", "--sample-type", "f16")
    with h5py.File(slc) as file, h5py.File(path) as small:
        exact, stored = samples_of(file)[()], samples_of(small)
        got = stored[()]
        if stored.dtype.itemsize != 4:
            raise ValueError(f"{stored.dtype}")
        if got.dtype.names:
            got = got["r"].astype(np.float32) + 1j * got["i"].astype(np.float32)
        db = 10 * np.log10(np.sum(np.abs(exact) ** 2) / np.sum(np.abs(got - exact) ** 2))
        if abs(db - stored.attrs["signal_to_error_db"]) > 0.01 or db < 65:
            raise ValueError(f"{db:.2f} dB, but {stored.attrs['signal_to_error_db']:.2f} are stated")
    return f"{db:.1f} dB of signal to error, as stated, in {path.stat().st_size / slc.stat().st_size:.2f} of the bytes"


def simulated(program, folder, *scene):
    """A scene of the program's own. Its truth tells zero-Doppler times, ranges and heights, the orbit the rest."""
    import h5py

    raw = folder / "raw.h5"
    images = Images(program, folder, raw, [])
    images.run("simulate", *scene, "-o", raw, "--sample-type", "int8")
    with h5py.File(images.focus("slc.h5")) as file:
        science = file["science"][next(iter(file["science"]))]
        left = science["identification/lookDirection"][()].decode().lower() == "left"
        metadata = science["RSLC/metadata"]
        orbit, targets = metadata["orbit"], metadata["simulation/targets"]
        heights = targets["height"][()] if "height" in targets else np.zeros(len(targets["slantRange"]))
        for time, range_m, height in zip(targets["zeroDopplerTime"][()], targets["slantRange"][()], heights):
            images.targets_m.append(place_of(state_at(orbit, time), range_m, height, left))
    return images


def spotlight(program, folder, files, name):
    truth = json.loads((files / f"{name}_truth.json").read_text())
    places = [target["ecef"] for target in truth["targets"] if name != BLURS_OFF_PLANE or target["above_plane"] == 0]
    return Images(program, folder, files / f"{name}.cphd", places)


def checks_of(name):
    if name in BURSTS:
        return checks_of_bursts()
    if name in SPOTLIGHTS:
        return [("SICD of the scene's plane", sicd_of_map, ("plane",)), ("SICD of UTM", sicd_of_map, ("utm",))]
    checks = [("GeoTIFF on the radar grid", geotiff_on_radar_grid, ()), ("SICD", sicd, ()),
              ("SICD of integers", sicd_of_integers, ()), ("GeoTIFF of integers", geotiff_of_integers, ()),
              ("RSLC of halves", halves, ()), ("files of other programs", foreign_files, ())]
    if name == "steered":
        checks += [("GeoTIFF in UTM", geotiff_on_map, ("utm", 3)),
                   ("GeoTIFF in degrees", geotiff_on_map, ("geographic", 3)), ("ENVI", envi, ())]
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--orbit", required=True, help="folder of echoes with their truth")
    parser.add_argument("--spotlights", required=True, help="folder of CPHD files with their truth")
    parser.add_argument("--tops", required=True, help="folder of Sentinel-1 packets with their truth")
    parser.add_argument("--scenes", nargs="*", default=[*ORBIT_SCENES, *SIMULATED, *SPOTLIGHTS, *BURSTS])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = False
    with tempfile.TemporaryDirectory() as parent:
        for name in arguments.scenes:
            folder = Path(parent) / name
            folder.mkdir()
            if name in SIMULATED:
                images = simulated(arguments.program, folder, *SIMULATED[name])
            elif name in BURSTS:
                images = Bursts(arguments.program, folder, Path(arguments.tops), name)
            elif name in SPOTLIGHTS:
                images = spotlight(arguments.program, folder, Path(arguments.spotlights), name)
            else:
                truth = json.loads((Path(arguments.orbit) / f"{name}_truth.json").read_text())
                places = [target["X"] for target in truth["targets"]]
                images = Images(arguments.program, folder, Path(arguments.orbit) / f"{name}.h5", places)
            for title, check, more in checks_of(name):
                try:
                    print(f"{name:10} {title:26} {check(images, *more)}", flush=True)
                except Exception as error:  # whatever another program says
                    failed = True
                    print(f"{name:10} {title:26} FAILED: {type(error).__name__}: {error}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
