# SPDX-License-Identifier: Apache-2.0
"""Echoes: files, simulated ones and arrays."""

import numpy
import pytest

import cornerturn as ct


def test_shape_info_and_repr_tell_what_it_is(echo):
    assert echo.shape == (512, 512) and len(echo) == 512
    assert echo.info["lines"] == 512 and echo.info["prf_hz"] == 400
    assert "512 lines x 512 samples" in repr(echo)


def test_lines_are_the_same_however_they_are_asked_for(echo):
    whole = numpy.asarray(echo)
    assert whole.shape == (512, 512) and whole.dtype == numpy.complex64
    assert numpy.array_equal(echo[100:200], whole[100:200])
    assert numpy.array_equal(echo[-3:], whole[-3:])
    assert numpy.array_equal(echo[7], whole[7]) and numpy.array_equal(echo[-1], whole[-1])
    assert numpy.array_equal(echo[10:20, 5:50:3], whole[10:20, 5:50:3])
    assert numpy.array_equal(echo[10, 5:50], whole[10, 5:50]) and echo[3, 4] == whole[3, 4]
    assert echo[20:10].shape == (0, 512) and numpy.array_equal(echo[...], whole)


def test_lines_that_are_not_there_are_refused(echo):
    for wrong in (512, -513):
        with pytest.raises(IndexError, match="of 512"):
            echo[wrong]
    with pytest.raises(ct.InputError, match="steps of 1"):
        echo[::2]
    for index, kind in ((1.5, "float"), ([1, 2], "list"), (numpy.ones(512, bool), "ndarray")):
        with pytest.raises(TypeError, match=rf"echo\[{kind}\]: .* of the array, echo\[\.\.\.\]"):
            echo[index]
    with pytest.raises(ValueError, match="copy"):
        numpy.array(echo, copy=False)


def test_a_file_gives_back_what_was_written(echo, tmp_path):
    echo.write(tmp_path / "raw.h5")
    read = ct.open(tmp_path / "raw.h5")
    assert isinstance(read, ct.Echo) and read.name.endswith("raw.h5")
    assert numpy.array_equal(read[:], echo[:])
    assert read.info["carrier_hz"] == echo.info["carrier_hz"]
    with pytest.raises(ct.InputError, match=r"\.h5"):
        echo.write(tmp_path / "raw.bin")
    with pytest.raises(ct.InputError, match="no frequency B|B"):
        ct.open(tmp_path / "raw.h5", frequency="B")


def test_what_is_no_file_is_an_input_error_which_is_a_value_error(tmp_path):
    with pytest.raises(ValueError, match="nothing.h5") as raised:
        ct.open(tmp_path / "nothing.h5")
    assert type(raised.value) is ct.InputError
    (tmp_path / "text.h5").write_text("no echo")
    with pytest.raises(ct.InputError, match="text.h5"):
        ct.open(tmp_path / "text.h5")


def test_geometry_has_the_orbit_and_the_ground(spaceborne):
    orbit = spaceborne.geometry["orbit"]
    assert orbit["position_m"].shape == (len(orbit["time_s"]), 3) == orbit["velocity_m_s"].shape
    assert numpy.all(numpy.linalg.norm(orbit["position_m"], axis=1) > 6.5e6)
    assert set(spaceborne.geometry["ground"]["corners"]) == {"first_near", "first_far", "last_near", "last_far"}
    times = spaceborne.pulse_times_s
    assert times.shape == (1400,) and numpy.allclose(numpy.diff(times), 1 / spaceborne.info["prf_hz"])


def radar_of(scene, **changes):
    c = 299792458.0
    return ct.Radar(
        **{
            "prf_hz": scene["prf_hz"],
            "carrier_hz": scene["carrier_hz"],
            "near_range_m": scene["near_range_m"],
            "range_spacing_m": c / (2 * scene["sample_rate_hz"]),
            "chirp_slope_hz_s": scene["chirp_slope_hz_s"],
            "chirp_duration_s": scene["chirp_duration_s"],
            "velocity_m_s": scene["velocity_m_s"],
            "doppler_centroid_hz": 0.0,
            "azimuth_bandwidth_hz": scene["azimuth_bandwidth_hz"],
        }
        | changes
    )


def test_an_array_focuses_to_the_same_image(scene, echo, image):
    lines = echo[:]
    own = ct.Echo.from_array(lines, radar_of(scene))
    made = ct.focus(own, device="cpu", algorithm="rda")
    assert made.shape == image.shape
    error = numpy.linalg.norm(made.numpy() - image.numpy()) / numpy.linalg.norm(image.numpy())
    assert error < 1e-5  # single precision; the velocities of both are the same number


def test_integers_are_taken_as_they_are_stored(scene, echo):
    lines = echo[:]
    scale = 100 / numpy.abs(lines.view(numpy.float32)).max()
    whole = numpy.round(lines.view(numpy.float32).reshape(*lines.shape, 2) * scale)
    for kind in (numpy.int8, numpy.int16):
        own = ct.Echo.from_array(whole.astype(kind), radar_of(scene))
        expected = whole[..., 0] + 1j * whole[..., 1]
        assert numpy.array_equal(own[:], expected.astype(numpy.complex64))


def test_what_speaks_dlpack_is_an_array(scene, echo):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **how):
            return self.array.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    lines = echo[:]
    assert numpy.array_equal(ct.Echo.from_array(Tensor(lines), radar_of(scene))[:], lines)


def test_samples_are_not_copied(scene, echo):
    lines = echo[:].copy()
    own = ct.Echo.from_array(lines, radar_of(scene))
    lines[5] = 0
    assert not own[5].any()
    del lines
    assert own[256].any()  # the echo holds them


class Wrapped:
    """As xarray.DataArray has them."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize(
    "samples, complaint",
    [
        (numpy.zeros((4, 4)), "complex64"),
        (numpy.zeros((4, 4)), r"float64 of shape \(4, 4\)"),
        (numpy.zeros(4, numpy.complex64), r"complex64 of shape \(4,\)"),
        (numpy.zeros((4, 4, 3), numpy.int8), r"int8 of shape \(4, 4, 3\)"),
        (numpy.zeros((4, 4), bool), r"bool of shape \(4, 4\)"),
        (numpy.zeros((64, 64), numpy.complex64)[:, ::2], "ascontiguousarray"),
        (numpy.zeros((4, 4), ">c8"), "array of >c8, .* order of bytes"),
        (numpy.zeros((4, 4, 2), ">i2"), r"array of >i2, .* order of bytes, array.astype\(array.dtype.newbyteorder"),
        (numpy.zeros((4, 4), object), r"array of object, .* as complex64, array.astype"),
        (numpy.zeros((4, 4), object), "array of object"),
        (numpy.zeros((0, 4), numpy.complex64), r"\(0, 4\) holds none"),
        (numpy.ma.masked_array(numpy.zeros((4, 4), numpy.complex64), mask=numpy.eye(4)), "has a mask"),
        (Wrapped(numpy.zeros((4, 4), numpy.complex64)), "type Wrapped, .* DLPack; pass numpy.asarray of it"),
        ([[1j, 2j]], "type list"),
        ("lines", "type str"),
        (None, "type NoneType"),
    ],
)
def test_arrays_that_are_no_echo_are_refused(scene, samples, complaint):
    with pytest.raises(ct.InputError, match=complaint):
        ct.Echo.from_array(samples, radar_of(scene))


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"prf_hz": 0}, "prf_hz is 0"),
        ({"carrier_hz": float("nan")}, "carrier_hz is nan, but must be a finite number"),
        ({"prf_hz": "fast"}, "prf_hz is 'fast', but must be a finite number"),
        ({"near_range_m": None}, "near_range_m is None, but must be a finite number"),
        ({"polarization": "QQ"}, "polarization 'QQ': expected two letters"),
        ({"epoch": "yesterday"}, "epoch 'yesterday': expected an ISO 8601 time"),
        ({"replica": numpy.zeros((2, 3))}, r"replica: must be an array of shape \(n,\)"),
        ({"replica": numpy.full(20, numpy.nan)}, "replica: must be .* finite"),
        ({"pulse_times_s": numpy.arange(8) * numpy.nan}, r"pulse_times_s: \[0\] holds nan"),
        (
            {"orbit": ct.Orbit(time_s=[0, 1], position_m=[[7e6, 0, 0], [numpy.nan, 7e3, 0]],
                               velocity_m_s=[[0, 7e3, 0]] * 2)},
            r"orbit.position_m: \[1\] holds nan",
        ),
        ({"azimuth_bandwidth_hz": -1}, "azimuth_bandwidth_hz is -1, but must be above 0"),
        ({"chirp_slope_hz_s": 0}, "chirp_slope_hz_s is 0"),
        ({"look_side": "down"}, "look_side 'down'"),
        ({"pulse_times_s": [0, 1]}, "2 of them, but the array has 8 lines"),
        ({"pulse_times_s": [0, 1, 2, 3, 3, 5, 6, 7]}, "must ascend"),
        ({"orbit": ct.Orbit([0, 1], [[0, 0, 0]], [[0, 0, 0]])}, "position_m: 1 of them, but 2 times"),
        ({"track": ct.Track([0, 1], [[0, 0], [1, 1]])}, r"shape \(n, 3\)"),
        ({"track": ct.Track([0, 1], [[0, 0, 0], [1, 1, 1]], frame="moon")}, "Track.frame moon: unknown"),
        ({"near_range_m": 1e9}, "near_range_m is 1e\\+0?9, .*geostationary"),
        ({"prf_hz": 1e-30}, "prf_hz is 1e-30, but must be 0.001 to 1e.07; is it in Hz"),
        ({"carrier_hz": 9.65}, "carrier_hz is 9.65, but must be 1e.06 to 1e.12; is it in Hz"),
        ({"range_spacing_m": 100e6}, "range_spacing_m is 1e.08, but must be .*; is it in metres"),
        ({"velocity_m_s": -120}, "velocity_m_s is -120, but must be above 0"),
        ({"velocity_m_s": 4e8}, "velocity_m_s is 4e.08, but must be .*; is it in m/s"),
        ({"first_pulse_time_s": 1e30}, "first_pulse_time_s is 1e.30, .* give a nearer epoch"),
        ({"chirp_duration_s": 2.0}, "chirp_duration_s is 2, .* a line has 512; is it in s"),
        ({"chirp_slope_hz_s": 36.0}, "chirp_slope_hz_s is 36, .* cannot be compressed .*; is it in Hz/s"),
        ({"chirp_slope_hz_s": 100e12}, "is a band of 200 MHz, but samples hold 100 MHz"),
        ({"replica": numpy.zeros(200)}, "replica: all of its 200 samples are 0"),
        ({"replica": "chirp"}, "replica: is of type str, which is no array of complex numbers"),
        ({"pulse_times_s": "now"}, "pulse_times_s: is of type str, which is no array of real numbers"),
        ({"pulse_times_s": numpy.arange(8) * 1j}, "pulse_times_s: .* no array of real numbers"),
        ({"pulse_times_s": numpy.arange(8) / 400, "first_pulse_time_s": 7}, "first_pulse_time_s is 7, .* begins with 0"),
        ({"orbit": ([0], [0], [0])}, "orbit: is of type tuple, expected a cornerturn.Orbit"),
        ({"track": {"time_s": 0}}, "track: is of type dict, expected a cornerturn.Track"),
        (
            {"orbit": ct.Orbit([0, 1], [[7e6, 0, 0], [7e6, 7e3, 0]], [[0, 7e3, 0]] * 2)},
            "velocity_m_s, Radar.orbit: .*leave one of them out",
        ),
    ],
)
def test_what_no_radar_is_is_refused_by_name(scene, changes, complaint):
    with pytest.raises(ct.InputError, match=complaint):
        ct.Echo.from_array(numpy.zeros((8, 512), numpy.complex64), radar_of(scene, **changes))


def test_an_orbit_makes_the_image_that_its_file_makes(spaceborne):
    info, orbit = spaceborne.info, spaceborne.geometry["orbit"]
    radar = ct.Radar(
        prf_hz=info["prf_hz"],
        carrier_hz=info["carrier_hz"],
        near_range_m=info["near_range_m"],
        range_spacing_m=(info["far_range_m"] - info["near_range_m"]) / (info["samples"] - 1),
        chirp_slope_hz_s=info["chirp_slope_hz_s"],
        chirp_duration_s=info["chirp_duration_s"],
        orbit=ct.Orbit(**orbit),
        doppler_centroid_hz=0.0,
        azimuth_bandwidth_hz=info["azimuth_bandwidth_hz"],
        look_side=info["look_side"],
        first_pulse_time_s=info["first_pulse_time_s"],
        epoch=info["epoch"],
    )
    made = ct.focus(ct.Echo.from_array(spaceborne[:], radar), device="cpu", algorithm="rda", doppler_centroid=0)
    expected = ct.focus(spaceborne, device="cpu", algorithm="rda", doppler_centroid=0)
    agreement = ct.compare(expected, made)
    assert agreement["signal_to_error_db"] > 100  # numbers that went through text and back would leave less


def test_what_tells_of_an_array_is_a_radar(scene):
    with pytest.raises(ct.InputError, match="radar: is of type dict, expected a cornerturn.Radar"):
        ct.Echo.from_array(numpy.zeros((8, 8), numpy.complex64), {"prf_hz": 400})


def test_masks_of_nothing_are_no_masks(scene, echo, image):
    lines = numpy.ma.masked_array(echo[:], mask=False)
    own = ct.Echo.from_array(lines, radar_of(scene))
    assert numpy.array_equal(own[:], echo[:])


def test_paths_are_text_bytes_or_path_like(echo, tmp_path):
    for path in (str(tmp_path / "a.h5"), bytes(tmp_path / "b.h5"), tmp_path / "\udcff.h5"):
        echo.write(path)
        assert ct.open(path).shape == echo.shape
    with pytest.raises(ct.InputError, match="null character"):
        ct.open("a\0b")
    with pytest.raises(TypeError, match="PathLike"):
        ct.open(7)


def test_numbers_of_numpy_are_lines(echo):
    assert numpy.array_equal(echo[numpy.int64(3)], echo[3])
    assert numpy.array_equal(echo[numpy.int32(-1), 5:7], echo[-1][5:7])
    with pytest.raises(TypeError, match=r"echo\[ndarray\]: takes a line"):
        echo[numpy.array([1, 2])]
    with pytest.raises(IndexError):
        echo[numpy.int64(512)]
