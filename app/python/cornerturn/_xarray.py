# SPDX-License-Identifier: Apache-2.0
"""Images with their axes, as xarray holds them, and as Zarr stores them."""

import os
import shutil
import tempfile
from pathlib import Path

import numpy

chunk = 512  # rows and columns


def _modules(*names):
    try:
        return [__import__(name) for name in names]
    except ImportError as error:
        raise ImportError(f"{error.name} is not there: pip install {' '.join(names)}") from error


def _axis(xarray, name, first, step, count, **told):
    return xarray.Variable(name, first + step * numpy.arange(count), told)


def array_of(image):
    """The image as an `xarray.DataArray` named slc; its samples are those of `image.numpy()`, not copied. On the
    zero-Doppler grid its dimensions are zero_doppler_time_s and slant_range_m, on a map y and x with `spatial_ref` as
    rioxarray reads it; what `image.info` says stands in its attributes. Axes that nothing tells are left out."""
    (xarray,) = _modules("xarray")
    info = {key: value for key, value in image.info.items() if isinstance(value, (str, int, float))}
    rows, columns = image.shape
    coordinates = {}
    if "projection" in info:
        dimensions = ("y", "x")
        for name, edge, step, count in (("y", "north", "y_spacing", rows), ("x", "west", "x_spacing", columns)):
            units = "degrees" if info["projection"] == "EPSG:4326" else "m"
            coordinates[name] = _axis(xarray, name, info[edge] + info[step] / 2, info[step], count, units=units)
        if info["projection"].startswith("EPSG:"):
            coordinates["spatial_ref"] = xarray.Variable((), 0, {"spatial_ref": info["projection"]})
    elif "near_range_m" in info:
        dimensions = ("zero_doppler_time_s", "slant_range_m")
        coordinates[dimensions[0]] = _axis(
            xarray, dimensions[0], info["first_zero_doppler_time_s"], info["zero_doppler_time_spacing_s"], rows,
            units="s", long_name=f"zero-Doppler time since {info['epoch']}")
        coordinates[dimensions[1]] = _axis(
            xarray, dimensions[1], info["near_range_m"], info["range_spacing_m"], columns,
            units="m", long_name="slant range")
    else:
        dimensions = ("row", "column")
    return xarray.DataArray(image.numpy(), coordinates, dimensions, "slc", info)


def write_zarr(image, path):
    """A store of Zarr 2, which `xarray.open_zarr` and GDAL open, in chunks of 512 x 512; complete or not there. One of
    that name is replaced, anything else is refused with a ValueError."""
    from . import DeviceError, InputError

    _modules("xarray", "zarr")
    path = Path(path)
    is_store = any((path / name).exists() for name in (".zgroup", "zarr.json"))
    if path.exists() and not is_store:
        raise InputError(f"{path}: is there and is no Zarr store; remove it, or choose another name")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: no folder {path.absolute().parent}")
    array = array_of(image)
    try:
        _store(array, path)
    except OSError as error:
        raise DeviceError(f"{path}: cannot be written: {error.strerror or error}") from error


def _store(array, path):
    chunks = tuple(min(chunk, size) for size in array.shape)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.absolute().parent) as beside:
        made = os.path.join(beside, "made")
        array.to_dataset().to_zarr(made, encoding={"slc": {"chunks": chunks}}, zarr_format=2)
        if path.exists():
            shutil.move(path, os.path.join(beside, "before"))
        os.rename(made, path)
