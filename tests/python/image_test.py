# SPDX-License-Identifier: Apache-2.0
"""Plans and the images that they make."""

import warnings

import numpy
import pytest

import cornerturn as ct


def test_a_plan_tells_what_will_be_done(echo):
    plan = ct.plan(echo, device="cpu", algorithm="rda", range_window="kaiser:2.5")
    assert plan.algorithm == "rda" and plan.device == "cpu"
    assert plan.memory["blocks"] == 1 and plan.memory["needed_bytes"] > 512 * 512 * 8
    assert any("range compression" in step for step in plan.steps)
    assert plan.info["range_window"] == "kaiser:2.5"
    assert "rda" in repr(plan) and "azimuth blocks" in str(plan)


def test_the_target_lies_where_it_is(image):
    (target,) = ct.analyze(image)["targets"]
    for axis in ("range", "azimuth"):
        assert abs(target[axis]["position_error_px"]) < 1e-3
    assert abs(target["peak"]["phase_error_deg"]) < 0.1


def test_a_plan_makes_image_after_image(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda")
    first, second = plan(echo), plan(echo)
    assert not first.report["plans_reused"] and second.report["plans_reused"]
    plan.release()
    third = plan(ct.Echo.from_array(echo[:], radar_like(echo)))
    for made in (first, second):
        assert numpy.array_equal(made.numpy(), image.numpy())
    assert third.shape == image.shape


def test_a_part_is_that_of_the_whole(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda", lines="200:300")
    part = plan(echo)
    assert part.shape == (100, image.shape[1])
    largest = abs(image.numpy()).max()
    assert abs(part.numpy() - image.numpy()[200:300]).max() < 1e-4 * largest
    with pytest.raises(ct.InputError, match="lines 0 to 511"):
        ct.focus(echo, device="cpu", lines="600:")


def radar_like(echo):
    info = echo.info
    return ct.Radar(
        prf_hz=info["prf_hz"],
        carrier_hz=info["carrier_hz"],
        near_range_m=info["near_range_m"],
        range_spacing_m=299792458.0 / (2 * info["sample_rate_hz"]),
        chirp_slope_hz_s=info["chirp_slope_hz_s"],
        chirp_duration_s=info["chirp_duration_s"],
        velocity_m_s=120,
        doppler_centroid_hz=0,
        azimuth_bandwidth_hz=180,
    )


def test_options_are_those_of_the_command_line_by_name_and_refusal(echo):
    with pytest.raises(ct.InputError, match="rnge_window=\"kaiser:2.5\": no such option.* `cornerturn focus --help`"):
        ct.plan(echo, rnge_window="kaiser:2.5")
    with pytest.raises(ct.InputError, match="kaiser"):
        ct.plan(echo, range_window="kasier:2.5")
    with pytest.raises(ct.InputError, match="rcmc_taps=9"):
        ct.plan(echo, rcmc_taps=9)
    with pytest.raises(ct.InputError, match="grid="):
        ct.plan(echo, spacing=3)
    with pytest.raises(ct.DeviceError):
        ct.plan(echo, device="cuda:77")
    assert ct.plan(echo, device="cpu", force=False, height=None).algorithm


def test_samples_are_not_copied(image):
    array = image.numpy()
    assert array.dtype == numpy.complex64 and array.shape == image.shape
    assert numpy.shares_memory(array, image.numpy()) and numpy.shares_memory(array, numpy.asarray(image))
    assert numpy.shares_memory(array, numpy.from_dlpack(image))
    assert image.__dlpack_device__() == (1, 0)
    assert not numpy.shares_memory(array, numpy.array(image))
    assert numpy.asarray(image, dtype=numpy.complex128).dtype == numpy.complex128
    assert numpy.array_equal(image[3:5], array[3:5])


def test_the_memory_outlives_the_image(echo):
    array = ct.focus(echo, device="cpu", algorithm="rda").numpy()
    before = array.copy()
    ct.focus(echo, device="cpu", algorithm="rda")
    assert numpy.array_equal(array, before)


def test_an_image_goes_into_memory_of_the_callers(echo, image):
    room = numpy.empty(image.shape, numpy.complex64)
    made = ct.focus(echo, room, device="cpu", algorithm="rda")
    assert made.numpy() is room and numpy.array_equal(room, image.numpy())
    for wrong in (
        numpy.empty((3, 3), numpy.complex64),
        numpy.empty(image.shape, numpy.complex128),
        numpy.empty((image.shape[0], 2 * image.shape[1]), numpy.complex64)[:, ::2],
    ):
        with pytest.raises(ct.InputError, match="out: "):
            ct.focus(echo, wrong, device="cpu", algorithm="rda")


def test_files_give_back_the_image(image, tmp_path):
    image.write(tmp_path / "slc.h5")
    image.write(tmp_path / "small.h5", compress=4)
    for name in ("slc.h5", "small.h5"):
        read = ct.open(tmp_path / name)
        assert isinstance(read, ct.Image) and read.shape == image.shape
        assert numpy.array_equal(read.numpy(), image.numpy())
        assert read.info["algorithm"] == "rda" and read.report is None
    for name, format in (("slc.tif", "GeoTIFF"), ("slc.slc", "ENVI")):
        image.write(tmp_path / name)
        read = ct.open(tmp_path / name)
        assert numpy.array_equal(read.numpy(), image.numpy())
        assert format in read.info["product"] and read.info["algorithm"] == "rda"
        assert ct.compare(image, tmp_path / name, whole=True)["identical"]
    (tmp_path / "slc.slc.hdr").write_text(
        f"ENVI\nsamples = {image.shape[1]}\nlines = {image.shape[0]}\nbands = 1\ndata type = 6\n")
    bare = ct.open(tmp_path / "slc.slc")
    assert "axes" in bare.info and "axes not told" in repr(bare)
    for action in (lambda: ct.compare(image, bare), lambda: ct.analyze(bare), lambda: bare.write(tmp_path / "b.h5")):
        with pytest.raises(ct.InputError, match="slant ranges"):
            action()
    image.write(tmp_path / "slc.png")
    assert (tmp_path / "slc.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ct.InputError, match=r"\.h5.*\.png"):
        image.write(tmp_path / "slc.bin")
    assert not (tmp_path / "slc.bin").exists()


def test_images_become_geotiff(echo, image, tmp_path):
    image.write(tmp_path / "slc.tif")
    image.write(tmp_path / "db.tif", tiff="db")
    assert (tmp_path / "slc.tif").read_bytes()[8:39] == b"GDAL_STRUCTURAL_METADATA_SIZE=0"
    assert (tmp_path / "db.tif").stat().st_size < 0.6 * (tmp_path / "slc.tif").stat().st_size
    with pytest.raises(ct.InputError, match="tiff=\"phase\""):
        image.write(tmp_path / "slc.tif", tiff="phase")
    with pytest.raises(ct.InputError, match="image.write"):
        ct.focus(echo, tmp_path / "other.tif", device="cpu")


def test_rows_may_go_into_a_file_at_once(echo, image, tmp_path):
    made = ct.focus(echo, tmp_path / "slc.h5", device="cpu", algorithm="rda")
    assert made.name == str(tmp_path / "slc.h5") and made.report["plan"]["algorithm"] == "rda"
    assert numpy.array_equal(made.numpy(), image.numpy())
    with pytest.raises(ct.InputError, match=r"slc\.bin"):
        ct.focus(echo, tmp_path / "slc.bin", device="cpu")
    stop = ct.StopRequest()
    stop.request()
    with pytest.raises(KeyboardInterrupt):
        ct.plan(echo, device="cpu")(echo, tmp_path / "other.h5", stop=stop)
    assert [file.name for file in tmp_path.iterdir()] == ["slc.h5"]
    with pytest.raises(ct.InputError, match="out: must be an array"):
        ct.focus(echo, 5, device="cpu")


def test_quality_and_report(image):
    assert image.quality["sharpness"] > 100  # a point: speckle has 2
    assert image.quality is image.quality
    assert image.report["plan"]["algorithm"] == "rda"
    assert {"range_compression", "azimuth_compression"} <= {stage["name"] for stage in image.report["stages"]}


def test_images_agree_with_themselves_and_other_algorithms(echo, image, tmp_path):
    assert ct.compare(image, image, whole=True)["identical"]
    image.write(tmp_path / "rda.h5")
    other = ct.focus(echo, device="cpu", algorithm="omegak")
    agreement = ct.compare(tmp_path / "rda.h5", other, whole=True)
    assert agreement["coherence"]["median"] > 0.99


def test_verify_proves_it(echo):
    outcome = ct.verify(echo, device="cpu", algorithm="rda")
    assert outcome["passed"] and len(outcome["checks"]) > 5
    with pytest.raises(ct.InputError, match="autofocus"):
        ct.verify(echo, autofocus="pga")


def test_pixels_and_places_are_each_others(spaceborne):
    image = ct.focus(spaceborne, device="cpu", algorithm="rda")
    geometry = image.geometry
    row, column = numpy.meshgrid(numpy.linspace(0, 1399, 5), numpy.linspace(0, 1799, 4), indexing="ij")
    longitude, latitude = geometry.to_lonlat(row, column, 120.0)
    assert longitude.shape == row.shape
    back_row, back_column = geometry.to_pixel(longitude, latitude, 120.0)
    assert numpy.abs(back_row - row).max() < 1e-4 and numpy.abs(back_column - column).max() < 1e-4
    corner = geometry.ground["corners"]["first_near"]
    assert geometry.to_lonlat(0, 0) == pytest.approx((corner["longitude_deg"], corner["latitude_deg"]), abs=1e-9)
    assert isinstance(geometry.to_lonlat(0, 0)[0], float)
    assert geometry.incidence_deg(0, 0) == pytest.approx(geometry.ground["incidence_near_deg"], abs=0.01)


def test_places_that_the_antenna_does_not_see_have_no_pixel(spaceborne):
    """They would be given the pixel of another place, that on the other side of the track, for one."""
    geometry = ct.focus(spaceborne, device="cpu", algorithm="rda").geometry
    longitude, latitude = geometry.to_lonlat(700.0, 900.0)
    row, column = geometry.to_pixel(longitude, latitude)
    assert abs(row - 700) < 1e-3 and abs(column - 900) < 1e-3
    for place in ((-longitude, latitude), (longitude + 180, -latitude), (500, 500), (longitude, 91)):  # the track is on the meridian of 0
        assert numpy.isnan(geometry.to_pixel(*place)).all()


def test_places_beyond_the_orbit_have_no_pixel(spaceborne):
    """The antenna passes them a minute or more beyond its state vectors, where nothing tells how far it was."""
    geometry = ct.focus(spaceborne, device="cpu", algorithm="rda").geometry
    longitude, latitude = geometry.to_lonlat(700.0, 900.0)
    row, column = geometry.to_pixel(longitude, [latitude - 10, latitude - 0.2, latitude + 0.2, latitude + 10])
    assert (numpy.isnan(row) == [True, False, False, True]).all()
    assert (numpy.isnan(column) == [True, False, False, True]).all()
    assert numpy.isnan(geometry.to_lonlat([-1e6, 1e6], 900.0)).all() and numpy.isnan(geometry.incidence_deg(1e6, 900.0))


def test_a_map_knows_its_places(spaceborne, image, tmp_path):
    on_zero_doppler_axes = image
    middle = spaceborne.geometry["ground"]["middle"]
    image = ct.focus(spaceborne, device="cpu", algorithm="backprojection", grid="utm", spacing=80)
    row, column = image.geometry.to_pixel(middle["longitude_deg"], middle["latitude_deg"])
    assert 0 < row < image.shape[0] and 0 < column < image.shape[1]
    assert image.geometry.to_lonlat(row, column) == pytest.approx(
        (middle["longitude_deg"], middle["latitude_deg"]), abs=1e-8
    )
    image.write(tmp_path / "map.h5")
    read = ct.open(tmp_path / "map.h5")
    assert numpy.array_equal(read.numpy(), image.numpy()) and read.info["rows"] == image.shape[0]
    agreement = ct.compare(tmp_path / "map.h5", image, whole=True)
    assert agreement["on_maps"] and agreement["identical"] and "tracks" not in agreement
    with pytest.raises(ct.InputError, match="the first one is an image on a map, the other is not"):
        ct.compare(image, on_zero_doppler_axes)


def test_without_an_orbit_nothing_tells_where_it_lies(echo, image):
    flat = ct.focus(ct.Echo.from_array(echo[:], radar_like(echo)), device="cpu", algorithm="rda")
    with pytest.raises(ct.InputError, match="orbit"):
        flat.geometry.to_lonlat(0, 0)


def test_notebooks_show_a_thumbnail(image):
    page = image._repr_html_()
    assert "data:image/png;base64," in page and "512" in page and "rda" in page
    assert image.png(max_size_px=64).startswith(b"\x89PNG")


def test_warnings_are_pythons(scene):
    edge = ct.Scene(scene, targets=[{"line": 5, "sample": 150}])
    with pytest.warns(ct.CornerturnWarning) as caught:
        ct.simulate(edge)
    assert caught[0].filename == __file__  # they name the line that called
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ct.CornerturnWarning):
            ct.simulate(edge)
