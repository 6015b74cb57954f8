# SPDX-License-Identifier: Apache-2.0
"""What people mistake: the text says what was given and the way out."""

import copy
import pickle

import numpy
import pytest

import cornerturn as ct
from echo_test import radar_of


@pytest.mark.parametrize("measure", [ct.analyze, lambda given: ct.compare(given, given)])
def test_measures_want_an_image(echo, measure):
    with pytest.raises(TypeError, match=r"expected an Image or the path of one, not Echo; ct\.focus\(echo\)"):
        measure(echo)
    with pytest.raises(TypeError, match="not int$"):
        measure(3)


def test_focusing_wants_an_echo(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda")
    for focus in (ct.focus, ct.plan, ct.verify, plan):
        for given, name in (("raw.h5", "str"), (image, "Image"), (image.numpy(), "ndarray")):
            with pytest.raises(TypeError, match=rf"expected an Echo, not {name}; ct\.open\(path\) reads one"):
                focus(given)


def writers(echo, image):
    return image.write, echo.write, lambda path: ct.focus(echo, path, device="cpu", algorithm="rda")


def test_a_folder_is_no_name_of_a_file(echo, image, tmp_path):
    for write in writers(echo, image):
        for name in (tmp_path, f"{tmp_path}/"):
            with pytest.raises(ct.InputError, match="is a folder; give a file name"):
                write(name)
    folder = tmp_path / "image.png"
    folder.mkdir()
    with pytest.raises(ct.InputError, match="is a folder"):
        image.write(folder)


def test_an_empty_path_is_called_empty(echo, image):
    for use in (ct.open, ct.analyze, ct.simulate, *writers(echo, image)):
        with pytest.raises(ct.InputError, match='^"": the path is empty; give the name of a file$'):
            use("")


@pytest.mark.parametrize("value", [{1, 2}, object(), b"400", 1j])
def test_what_no_scene_can_hold_is_called_so(scene, value):
    with pytest.raises(ct.InputError, match=rf"^scene: .* is of type {type(value).__name__}, expected texts, numbers"):
        ct.simulate(ct.Scene(scene, prf_hz=value))


@pytest.mark.parametrize("lines", [float("nan"), float("inf"), 1.5, "many"])
def test_what_is_no_whole_number_is_called_so(scene, lines):
    with pytest.raises(ct.InputError, match=f": lines: {lines}: not a whole number"):
        ct.simulate(scene, lines=lines)


def test_what_belongs_to_a_process_is_not_pickled(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda")
    for held, way_out in ((echo, r"ct\.open\(\)"), (image, r"image\.numpy\(\)"), (plan, "its options"),
                          (image.geometry, r"ct\.open\(path\)\.geometry")):
        for leave in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=rf"is neither pickled nor copied: .*{way_out}"):
                leave(held)


def test_what_is_elsewhere_in_python_is_said(echo):
    for keyword, instead in {
        "output": r"ct\.focus\(echo", "png": r"image\.write", "compress": r"image\.write", "report": r"image\.report",
        "dry_run": r"ct\.plan", "polarization": r"ct\.open", "burst": r"ct\.open", "resume": "only the program",
    }.items():
        with pytest.raises(ct.InputError, match=rf"plan\(\): {keyword} is no keyword here; .*{instead}"):
            ct.plan(echo, **{keyword: "x"})


def test_a_value_that_is_no_text_or_number_is_refused(echo):
    for value in ({"a": 1}, {1, 2}, 1 + 1j, numpy.zeros((2, 2)), range(3), [1, {}], lambda: 0):
        with pytest.raises(ct.InputError, match="doppler_centroid: is of type .*, expected a text, a path, a number"):
            ct.plan(echo, doppler_centroid=value)
    with pytest.raises(ct.InputError, match="autofocus: has no value; give none|pga|entropy"):
        ct.plan(echo, autofocus=True)


def test_an_array_of_numbers_is_as_good_as_a_tuple(echo):
    by_array, by_tuple = (ct.plan(echo, device="cpu", algorithm="rda", doppler_centroid=given)
                          for given in (numpy.array([3.0, 2.0]), (3.0, 2.0)))
    assert by_array.info == by_tuple.info


def test_numbers_beyond_any_line_are_no_lines(echo):
    for index in (10**30, -(10**30)):
        with pytest.raises(IndexError, match=f"line {index} of 512"):
            echo[index]


def test_the_input_is_not_overwritten(echo, tmp_path):
    path = tmp_path / "raw.h5"
    echo.write(path)
    before = path.read_bytes()
    again = ct.open(path)
    alias = tmp_path / "alias.h5"
    alias.symlink_to(path)
    image = ct.focus(again, device="cpu", algorithm="rda")
    for name in (path, alias):
        for write in (again.write, image.write, lambda to: ct.focus(again, to, device="cpu", algorithm="rda")):
            with pytest.raises(ct.InputError, match="output and input.* are the same file"):
                write(name)
    assert path.read_bytes() == before


def test_samples_beyond_single_precision_are_said(scene, echo):
    samples = echo[:].astype("complex128")
    samples[7, 9] = 1e200
    with pytest.warns(ct.CornerturnWarning, match="1 samples of the echo are not finite"):
        ct.focus(ct.Echo.from_array(samples, radar_of(scene)), device="cpu", algorithm="rda")


def test_where_an_image_goes_is_said_with_the_way_out(echo, tmp_path):
    plan = ct.plan(echo, device="cpu", algorithm="rda")
    for name in ("slc.tif", "slc.zarr", "slc.png", "slc"):
        with pytest.raises(ct.InputError, match=r"a plan writes \.h5; for other formats focus without a name, then image"):
            plan(echo, tmp_path / name)
    with pytest.raises(ct.InputError, match=r"out: axis 1 has a stride of 2 elements, .*pass an array of its own"):
        plan(echo, numpy.empty((512, 1024), numpy.complex64)[:, ::2])
    assert list(tmp_path.iterdir()) == []


def test_what_a_format_cannot_take_is_refused(image, tmp_path):
    for name, what in (("image.zarr", "holds complex64"), ("image.png", "is a picture")):
        for option, value in (("sample_type", "f16"), ("compress", 3)):
            with pytest.raises(ct.InputError, match=f"^{option}: .*{name} {what}; leave it out"):
                image.write(tmp_path / name, **{option: value})
    assert list(tmp_path.iterdir()) == []


def test_a_part_is_proven_by_itself(echo):
    assert ct.verify(echo, device="cpu", algorithm="rda", lines=slice(100, 400))["passed"]
    with pytest.raises(ct.InputError, match=r'lines="5000:5100": '):
        ct.verify(echo, device="cpu", algorithm="rda", lines=slice(5000, 5100))


def test_none_is_the_default(scene, echo, image):
    made = ct.focus(echo, device="cpu", algorithm="rda", threads=None, progress=None, stop=None, dem=None)
    assert numpy.array_equal(made.numpy(), image.numpy())
    assert ct.plan(echo, device=None, algorithm="rda").algorithm == "rda"
    assert ct.simulate(scene, polarization=None).info["polarization"] == "HH"


def test_compression_is_0_to_9(image, tmp_path):
    for level in (-1, 10):
        with pytest.raises(ct.InputError, match=f"compress is {level}, but must be 0"):
            image.write(tmp_path / "slc.h5", compress=level)


def test_errors_are_pickled():
    """By which they come back from processes."""
    for error in (ct.InputError("bad.h5: is text"), ct.DeviceError("gone")):
        back = pickle.loads(pickle.dumps(error))
        assert type(back) is type(error) and str(back) == str(error)


def test_a_swath_of_one_sample_is_called_so(scene):
    lines = numpy.ones((512, 1), numpy.complex64)
    with pytest.raises(ct.InputError, match="swath: 1 sample a line, at 3000.0 m; expected two or more"):
        ct.focus(ct.Echo.from_array(lines, radar_of(scene, chirp_duration_s=1e-8)), device="cpu")


def test_options_are_called_keywords(echo, image, tmp_path):
    """The texts are those of the command line, but for what Python calls otherwise."""
    with pytest.raises(ct.InputError, match='^rcmc_taps=9: choose 8, 12 or 16$'):
        ct.focus(echo, rcmc_taps=9)
    with pytest.raises(ct.InputError, match="^heights=\"egm96\": is of an elevation model; give dem=FILE, or leave it"):
        ct.focus(echo, heights="egm96")
    with pytest.raises(ct.InputError, match="^force: auto takes only what holds; name the algorithm= that is to be"):
        ct.focus(echo, force=True)
    with pytest.raises(ct.InputError, match="^sample_type=\"f17\": unknown; choose f32, f16"):
        image.write(tmp_path / "image.h5", sample_type="f17")
    with pytest.raises(ct.InputError, match='^bbox="1,4,3,2": '):
        ct.focus(echo, bbox=(1, 4, 3, 2))
    with pytest.warns(ct.CornerturnWarning, match=r"; spacing=[0-9.]+ holds all of it"):
        ct.plan(echo, device="cpu", grid="utm", spacing=40)


def test_clipped_samples_are_counted_once(spaceborne, tmp_path):
    """Not those of overviews, too."""
    image = ct.focus(spaceborne, device="cpu", algorithm="rda")
    rows, columns = image.shape
    with pytest.warns(ct.CornerturnWarning,
                      match=f"{rows * columns} samples are beyond .*; sample_type=\"int16:A\" with a larger A"):
        image.write(tmp_path / "image.tif", sample_type="int16:1e-30")


def test_an_image_has_no_bursts(image, tmp_path):
    for name in ("image.h5", "image.tif"):
        image.write(tmp_path / name)
        for option in ({"burst": 0}, {"swath": "IW1"}, {"channel": "A"}, {"troposphere": "remove"}):
            (key,) = option
            with pytest.raises(ct.InputError, match=f"{name}: {key}=.*is of raw echo, and this is an image"):
                ct.open(tmp_path / name, **option)


def test_texts_that_are_no_unicode_are_refused_in_words(scene, echo):
    """As os.fsdecode makes of names that are no UTF-8: they come back as they went in."""
    for options in ({"algorithm": "\udcff"}, {"device": "\udcff"}, {"dem": "\udcff.tif"}, {"dem": b"\xff.tif"}):
        with pytest.raises(ct.InputError, match="\udcff"):
            ct.plan(echo, **options)
    for use in (ct.open, ct.analyze, ct.simulate):
        with pytest.raises(ct.InputError, match="\udcff"):
            use("\udcff")
    with pytest.raises(ct.InputError, match="no polarization \udcff"):
        ct.simulate(scene, polarization="\udcff")
    with pytest.raises(ct.InputError, match="epoch '\udcff'"):
        ct.Echo.from_array(echo[:], radar_of(scene, epoch="\udcff"))


def test_bytes_are_a_path_and_not_their_repr(echo):
    with pytest.raises(ct.InputError, match="^nowhere.tif: cannot be opened"):
        ct.plan(echo, device="cpu", dem=b"nowhere.tif")


def test_names_that_are_no_unicode_are_names(echo, image, tmp_path):
    echo.write(tmp_path / "\udcff.h5")
    image.write(tmp_path / "\udcff.tif")
    for read in (ct.open(tmp_path / "\udcff.h5"), ct.open(tmp_path / "\udcff.tif")):
        assert read.name.startswith(str(tmp_path / "\udcff")) and "\udcff" in repr(read)
    assert ct.open(tmp_path / "\udcff.tif")._repr_html_().encode()  # a page is UTF-8
    image.write(tmp_path / "\udcff.png")
    with pytest.warns(ct.CornerturnWarning, match="\udcff.tif: .* beyond the full scale"):
        image.write(tmp_path / "\udcff.tif", sample_type="int16:1e-6")


@pytest.mark.parametrize("mission, complaint", [
    (None, "is of type NoneType, expected a text"), (b"X", "is of type bytes"), (7, "is of type int"),
    ("a\nb", r"'a\\nb' holds a control character \(code 10\)"), ("a\0b", ".* control character"),
    ("\x7f", ".* control character"), ("\udcff", r"'\\udcff' holds what UTF-8 has no place for"),
])
def test_a_mission_is_a_name(scene, echo, mission, complaint):
    """Which products hold as it is: SICD with a control character is no XML."""
    with pytest.raises(ct.InputError, match=f"^Radar.mission: {complaint}"):
        ct.Echo.from_array(echo[:], radar_of(scene, mission=mission))


def test_endings_may_be_capitals(echo, image, tmp_path):
    image.write(tmp_path / "image.H5")
    image.write(tmp_path / "image.PNG")
    echo.write(tmp_path / "raw.H5")
    ct.focus(echo, tmp_path / "slc.H5", device="cpu", algorithm="rda")
    assert {ct.open(tmp_path / name).shape for name in ("image.H5", "raw.H5", "slc.H5")} == {image.shape}
    assert (tmp_path / "image.PNG").read_bytes().startswith(b"\x89PNG")


def test_progress_is_called_so_everywhere(image):
    with pytest.raises(ct.InputError, match="progress is 5, but must be True or a callable"):
        ct.analyze(image, progress=5)


def test_an_image_without_an_orbit_has_no_ground(scene, echo):
    image = ct.focus(ct.Echo.from_array(echo[:], radar_of(scene)), device="cpu", algorithm="rda")
    with pytest.raises(ct.InputError, match=r"^focused: nothing tells where on the Earth it lies \(it holds no orbit\)$"):
        image.geometry.ground


def test_none_is_an_axis_of_an_image_and_none_of_an_echo(echo, image):
    assert image[None].shape == (1, *image.shape)
    with pytest.raises(TypeError, match=r"echo\[NoneType\]: takes a line"):
        echo[None]


def test_masked_places_are_not_known(spaceborne):
    geometry = ct.focus(spaceborne, device="cpu", algorithm="rda").geometry
    longitude, latitude = geometry.to_lonlat(numpy.ma.masked_array([10, 20], mask=[False, True]), 30)
    assert (longitude[0], latitude[0]) == geometry.to_lonlat(10, 30)
    assert numpy.isnan(longitude[1]) and numpy.isnan(latitude[1])


def test_masked_numbers_of_a_radar_are_refused(scene, echo):
    times = numpy.ma.masked_array(numpy.arange(512) / 400, mask=numpy.arange(512) == 7)
    with pytest.raises(ct.InputError, match="Radar.pulse_times_s: has a mask"):
        ct.Echo.from_array(echo[:], radar_of(scene, pulse_times_s=times))


def test_a_scene_is_a_preset_a_mapping_or_keywords():
    assert ct.Scene("spaceborne", lines=2048) == ct.Scene(preset="spaceborne", lines=2048)
    assert copy.deepcopy(ct.Scene(ct.Scene("wide"), lines=7)) == {"preset": "wide", "lines": 7}
    with pytest.raises(ct.InputError, match="no preset 'earthbound'; the presets are airborne"):
        ct.simulate(ct.Scene("earthbound"))
    with pytest.raises(ct.InputError, match="two presets are named, 'wide' and 'nisar'"):
        ct.Scene("wide", preset="nisar")
    for value in (3, ["lines"], b"wide"):
        with pytest.raises(ct.InputError, match=rf"is of type {type(value).__name__}, expected the name of a preset"):
            ct.Scene(value)


def test_what_is_on_or_off_is_nothing_else(echo):
    with pytest.raises(ct.InputError, match=r'^plan\(\): force: "x" is neither true nor false'):
        ct.plan(echo, algorithm="rda", force="x")
