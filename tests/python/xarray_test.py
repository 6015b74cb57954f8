# SPDX-License-Identifier: Apache-2.0
"""Images in xarray, and in Zarr."""

import resource

import numpy
import pytest
import xarray

import cornerturn as ct


def test_axes_are_those_of_the_image(image):
    array = image.xarray()
    info = image.info
    assert array.dims == ("zero_doppler_time_s", "slant_range_m") and array.shape == image.shape
    assert numpy.shares_memory(array.values, image.numpy())
    (target,) = ct.analyze(image)["targets"]
    peak = abs(array).argmax(...)
    at = array[peak]
    assert abs(at.slant_range_m - target["peak"]["range_m"]) <= info["range_spacing_m"] / 2
    assert (
        abs(at.zero_doppler_time_s - target["peak"]["zero_doppler_time_s"]) <= info["zero_doppler_time_spacing_s"] / 2
    )
    assert array.attrs["algorithm"] == "rda" and info["epoch"] in array.zero_doppler_time_s.attrs["long_name"]


def test_a_map_has_its_projection():
    echo = ct.simulate(ct.Scene(preset="spaceborne", lines=1400, samples=1800))
    image = ct.focus(echo, device="cpu", grid="utm", spacing=40)
    array = image.xarray()
    assert array.dims == ("y", "x")
    assert array.spatial_ref.attrs["spatial_ref"] == image.info["projection"]
    assert array.x[0] == image.info["west"] + 20 and array.x[-1] == image.info["east"] - 20
    assert array.y[0] == image.info["north"] - 20 and array.y[-1] == image.info["south"] + 20


def test_a_store_is_complete_or_not_there(image, tmp_path):
    path = tmp_path / "slc.zarr"
    for _ in range(2):  # the second replaces the first
        image.write(path)
        with xarray.open_zarr(path) as stored:
            assert numpy.array_equal(stored.slc.values, image.numpy())
            assert stored.slc.attrs["wavelength_m"] == image.info["wavelength_m"]
            numpy.testing.assert_array_equal(stored.slant_range_m, image.xarray().slant_range_m)
    assert [entry.name for entry in tmp_path.iterdir()] == ["slc.zarr"]
    (tmp_path / "other.zarr").mkdir()
    with pytest.raises(ct.InputError, match="no Zarr store"):
        image.write(tmp_path / "other.zarr")
    with pytest.raises(ct.InputError, match="no folder"):
        image.write(tmp_path / "none" / "slc.zarr")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["other.zarr", "slc.zarr"]


def test_says_what_is_missing(image, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    with pytest.raises(ImportError, match="pip install xarray"):
        image.xarray()


def test_a_store_that_cannot_be_written_is_called_so(image, tmp_path):
    """By its name, and nothing of it stays: here no file may be larger than 1000 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(ct.DeviceError, match="slc.zarr: cannot be written: File too large"):
            image.write(tmp_path / "slc.zarr")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
