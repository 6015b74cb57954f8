# SPDX-License-Identifier: Apache-2.0
"""Simulates and focuses two scenes and lets other programs open the files: what each one said, one line for each.

Exit code 1 where one failed. A reader that is not installed is skipped, by name. Run through
scripts/check-foreign-readers, which makes the virtual environment."""

import argparse
import importlib.metadata
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import h5py
import numpy as np

from product_points import offsets_px, place_of, squares_of, state_at

# Left-looking L band with two polarizations and right-looking C band. Ten cells and one row: sarkit-convert 0.6.0 takes every tenth row, cut
# to whole ones, and turns images that look left, which puts others up to a row beside their place.
SCENES = {"nisar": ("--lines", "4401"), "sentinel": ("--lines", "2201", "--samples", "2400")}
RAW_TYPES = ("int16", "int8")  # as indices into a table of levels, which is what FastSAR knows
SWATH = "science/LSAR/RSLC/swaths"
IMAGE = SWATH + "/frequencyA/HH"


class Skipped(Exception):
    pass


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Skipped(f"{package} is not installed") from None


def same_patch(patch, path):
    with h5py.File(path) as file:
        if not np.array_equal(patch, file[IMAGE][1000:1010, 100:110]):
            raise ValueError("reads other samples than h5py")


def gdal(slc, **_):
    version_of("rasterio")
    import rasterio

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no georeferencing: HDF5's driver knows of none
        with rasterio.open(f'HDF5:"{slc}"://{IMAGE}') as data:
            same_patch(data.read(1, window=((1000, 1010), (100, 110))), slc)
            return f"GDAL {rasterio.__gdal_version__}", f"{data.height} x {data.width} {data.dtypes[0]}"


def datatree(slc, **_):
    version = version_of("nisar-pytools")
    from nisar_pytools.io.h5_to_datatree import h5_to_datatree

    with h5py.File(slc) as file:
        tree = h5_to_datatree(file)
        image = tree[SWATH + "/frequencyA"]["HH"]
        same_patch(np.asarray(image[1000:1010, 100:110]), slc)
        grid = tree["science/LSAR/RSLC/metadata/geolocationGrid"]["incidenceAngle"]
        return (
            f"nisar-pytools {version} h5_to_datatree",
            f"{image.shape} {image.dtype}, incidence {float(grid.mean()):.1f} deg",
        )


def crop(slc, folder, program, **_):
    version = version_of("nisar-pytools")
    from nisar_pytools.processing.crop_rslc import crop_rslc

    with h5py.File(slc) as file:
        rows, columns = file[IMAGE].shape
        targets = file["science/LSAR/RSLC/metadata/simulation/targets"]
        middle = np.argsort(targets["slantRange"][()])[len(targets["slantRange"]) // 2]
        row = int(np.searchsorted(file[SWATH + "/zeroDopplerTime"][()], targets["zeroDopplerTime"][middle]))
        column = int(np.searchsorted(file[SWATH + "/frequencyA/slantRange"][()], targets["slantRange"][middle]))
    cut = folder / "cropped.h5"
    around = {
        "az": (max(0, row - 300), min(rows, row + 301)),
        "A": (max(0, column - 203), min(columns, column + 200)),
        "B": (0, 0),
    }
    crop_rslc(slc, cut, around)
    seen = json.loads(
        subprocess.run([program, "analyze", cut, "--json"], check=True, capture_output=True, text=True).stdout
    )
    errors = [
        max(abs(t["range"]["position_error_px"]), abs(t["azimuth"]["position_error_px"]))
        for t in seen["targets"]
        if "range" in t and "position_error_px" in t["range"]
    ]
    if not errors or max(errors) > 0.002:
        raise ValueError(f"targets of the cropped image lie {errors} px beside their place")
    return (
        f"nisar-pytools {version} crop_rslc",
        f"cornerturn analyze reads the cut: {len(errors)} target(s) within {max(errors):.4f} px",
    )


def sicd(slc, folder, **_):
    version = version_of("sarkit-convert")
    if importlib.util.find_spec("sarkit_convert.nisar") is None:
        raise Skipped(f"sarkit-convert {version} knows no NISAR; it does from Python 3.12 on")
    import sarkit.sicd as sksicd

    pattern = folder / "{freq}-{pol}.nitf"
    subprocess.run(
        [sys.executable, "-m", "sarkit_convert.nisar", slc, "UNCLASSIFIED", pattern], check=True, capture_output=True
    )
    nitf = folder / "A-HH.nitf"
    checked = subprocess.run([Path(sys.executable).parent / "sicdcheck", nitf], capture_output=True, text=True)
    if checked.returncode != 0:
        raise ValueError("sicdcheck: " + " ".join(checked.stdout.split()))
    with nitf.open("rb") as stream, sksicd.NitfReader(stream) as reader:
        xml, image = reader.metadata.xmltree, reader.read_image()
    helper = sksicd.XmlHelper(xml)
    spacing = np.array([helper.load(f"./{{*}}Grid/{{*}}{axis}/{{*}}SS") for axis in ("Row", "Col")])
    pixels = []
    with h5py.File(slc) as file:
        left = file["science/LSAR/identification/lookDirection"][()] == b"left"
        targets, orbit = file["science/LSAR/RSLC/metadata/simulation/targets"], file["science/LSAR/RSLC/metadata/orbit"]
        for time_s, range_m, height_m in zip(targets["zeroDopplerTime"], targets["slantRange"], targets["height"]):
            place_m = place_of(state_at(orbit, time_s), range_m, height_m, left)
            on_image, _, _ = sksicd.scene_to_image(xml, place_m)
            pixels.append(on_image / spacing + helper.load("./{*}ImageData/{*}SCPPixel"))
    worst = np.abs(offsets_px(squares_of(image), image.shape, pixels)).max()
    if worst > 0.01:
        raise ValueError(f"targets lie up to {worst:.3f} px beside where the SICD says")
    return (
        f"sarkit-convert {version}, sarkit {version_of('sarkit')}",
        f"sicdcheck passes; targets within {worst:.4f} px",
    )


def isce3(slc, checkout, **_):
    if not checkout:
        raise Skipped("no checkout of isce3: give --isce3")
    import foreign_isce3

    version = (
        (Path(checkout) / "VERSION.txt").read_text().strip()
        if (Path(checkout) / "VERSION.txt").exists()
        else "of the checkout"
    )
    return f"isce3 {version}, its Python code", foreign_isce3.check(slc, checkout)


def fastsar(raw, **_):
    version = version_of("fastsar")
    from fastsar.io import read_nisar

    history, told = read_nisar(str(raw), meta=True, range_delay=0, troposphere=None)
    if not np.isfinite(history["S"]).all() or not np.abs(history["S"]).max() > 0:
        raise ValueError("no phase history comes out")
    return f"FastSAR {version} read_nisar", told["notes"][0]


def files_of(program, folder):
    """Image of each scene, and raw files of every sample type."""
    run = lambda *words: subprocess.run([program, *words], check=True, capture_output=True)
    images, raws = [], []
    for scene, size in SCENES.items():
        raw, slc = folder / f"{scene}.h5", folder / f"{scene}_slc.h5"
        run("simulate", scene, "-o", raw, *size)
        run("focus", raw, "-o", slc, "--polarization", "all", "--device", "cpu")
        images.append(slc)
    for sample_type in RAW_TYPES:
        raws.append(folder / f"raw_{sample_type}.h5")
        run("simulate", "nisar", "-o", raws[-1], "--sample-type", sample_type, *SCENES["nisar"])
    return images, raws


def report(check, path, **more):
    try:
        who, what = check(path, **more)
        print(f"ok       {path.name:<18} {who}: {what}")
        return True
    except Skipped as reason:
        print(f"skipped  {path.name:<18} {check.__name__}: {reason}")
        return True
    except Exception as error:  # whatever another program throws
        print(f"FAILED   {path.name:<18} {check.__name__}: {type(error).__name__}: {error}")
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--isce3", default="")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, program = Path(name), chosen.program.resolve()
        images, raws = files_of(program, folder)
        well = [
            report(check, slc, folder=folder, program=program, checkout=chosen.isce3)
            for slc in images
            for check in (gdal, datatree, crop, sicd, isce3)
        ]
        well += [report(fastsar, raw) for raw in raws]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
