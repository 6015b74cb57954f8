# SPDX-License-Identifier: Apache-2.0
"""Sums of compressed lines at any points, against the same in double precision with ideal interpolation."""

import numpy
import pytest

import cornerturn as ct

c_m_s = 299792458.0
radar = {"carrier_hz": 9.6e9, "near_range_m": 3000.0, "range_spacing_m": 1.0}
lines_there, samples_there = 100, 256


def signal_to_error_db(got, expected):
    return 10 * numpy.log10(numpy.sum(abs(expected) ** 2) / numpy.sum(abs(got - expected) ** 2))


@pytest.fixture
def positions():
    along = numpy.linspace(-30, 30, lines_there)
    return numpy.stack([0 * along, along, 2000 + 0.3 * numpy.sin(along)], -1)


@pytest.fixture
def lines(random):
    """Band-limited to three quarters and faded out before their ends: a sum over all samples interpolates them."""
    k = numpy.arange(samples_there)
    lines = numpy.zeros((lines_there, samples_there), complex)
    for _ in range(40):
        offset = k - random.uniform(60, samples_there - 60)
        amplitude = random.standard_normal(lines_there) + 1j * random.standard_normal(lines_there)
        lines += amplitude[:, None] * numpy.sinc(0.75 * offset) * numpy.exp(-0.5 * (offset / 10) ** 2)
    return lines.astype(numpy.complex64)


def level_grid(rows=20, columns=15):
    x, y = numpy.meshgrid(numpy.linspace(2300, 2420, rows), numpy.linspace(-20, 20, columns), indexing="ij")
    return numpy.stack([x, y, 0 * x], -1)


def one_way_m(position, velocity_m_s, points):
    """Half the way there and back, which ends where the antenna is by then: c delay = |P - X| + |P + v delay - X|."""
    there = numpy.linalg.norm(points - position, axis=1)
    way = 2 * there
    for _ in range(4):
        back = numpy.linalg.norm(points - position - velocity_m_s * way[:, None] / c_m_s, axis=1)
        way = there + back
    return way / 2


def expected_sums(lines, positions, grid, velocity_m_s=numpy.zeros(3)):
    points, sums = grid.reshape(-1, 3), 0
    for line, position in zip(lines.astype(complex), positions):
        range_m = one_way_m(position, velocity_m_s, points)
        cell = (range_m - radar["near_range_m"]) / radar["range_spacing_m"]
        value = numpy.sinc(cell[:, None] - numpy.arange(samples_there)) @ line
        sums = sums + value * numpy.exp(4j * numpy.pi * radar["carrier_hz"] / c_m_s * range_m)
    return sums.reshape(grid.shape[:-1])


@pytest.mark.parametrize("oversample, least_db", [(4, 43), (8, 55), (16, 67), (24, 74), (32, 78)])
def test_sums_are_as_exact_as_the_docstring_says(lines, positions, oversample, least_db):
    grid = level_grid()
    got = ct.backproject(lines, positions, grid, oversample=oversample, **radar)
    assert got.shape == grid.shape[:-1] and got.dtype == numpy.complex64
    assert signal_to_error_db(got, expected_sums(lines, positions, grid)) > least_db


def sums_over_frequencies(spectra, positions, points):
    """Exact sums: frequencies are bins from -n/2 up, about the carrier; the lines are their inverse transforms."""
    count = spectra.shape[1]
    bins = numpy.arange(count) - count // 2
    sums = 0
    for spectrum, position in zip(spectra, positions):
        range_m = numpy.linalg.norm(points - position, axis=1)
        cell = (range_m - radar["near_range_m"]) / radar["range_spacing_m"]
        value = numpy.exp(2j * numpy.pi / count * numpy.outer(cell, bins)) @ spectrum
        sums = sums + value * numpy.exp(4j * numpy.pi * radar["carrier_hz"] / c_m_s * range_m)
    return sums


def lines_of(spectra):
    return numpy.fft.ifft(numpy.fft.ifftshift(spectra, axes=1), axis=1, norm="forward").astype("complex64")


# Images of the cells between which lines run straight: for a band that is filled evenly their energies are
# 2 zeta(4) / 5 / (2 x 24)^4 of it, -70.9 dB.
@pytest.mark.parametrize("count", [31, 251, 256, 300])
def test_a_whole_band_is_exact_up_to_its_edges(positions, random, count):
    spectra = random.standard_normal((lines_there, count)) + 1j * random.standard_normal((lines_there, count))
    ranges_m = radar["near_range_m"] + numpy.linspace(1, count - 2, 80)  # of which positions see 0.4 m more or less
    points = numpy.stack([numpy.sqrt(ranges_m**2 - 2000**2), 0 * ranges_m, 0 * ranges_m], -1)
    expected = sums_over_frequencies(spectra, positions, points)
    got = ct.backproject(lines_of(spectra), positions, points, **radar)
    assert signal_to_error_db(got, expected) > 69
    cut = ct.backproject(lines_of(spectra), positions, points, periodic=False, **radar)
    assert signal_to_error_db(cut, expected) < 40


# Between points a full band leaves sidelobes, which are what its edges are: 2 zeta(4) / (2 x 24)^4 there, -63.9 dB.
def test_sidelobes_of_a_whole_band_are_exact_to_60_db(positions, random):
    count, spectra = 256, 0
    bins = numpy.arange(count) - count // 2
    for x, y in random.uniform([2330, -15], [2390, 15], (8, 2)):
        range_m = numpy.linalg.norm([x, y, 0] - positions, axis=1)
        cell = (range_m - radar["near_range_m"]) / radar["range_spacing_m"]
        spectra = spectra + numpy.exp(-4j * numpy.pi * radar["carrier_hz"] / c_m_s * range_m)[:, None] * numpy.exp(
            -2j * numpy.pi / count * numpy.outer(cell, bins))
    grid = level_grid(40, 30)
    expected = sums_over_frequencies(spectra, positions, grid.reshape(-1, 3)).reshape(grid.shape[:-1])
    got = ct.backproject(lines_of(spectra), positions, grid, **radar)
    assert signal_to_error_db(got, expected) > 60


# A strong sample at the far end, of a line that was cut there: the near end knows nothing of it.
def test_lines_that_were_cut_do_not_go_round(positions):
    lines = numpy.zeros((lines_there, samples_there), "complex64")
    lines[:, -1] = 1
    ranges_m = radar["near_range_m"] + numpy.linspace(1, 12, 50)
    points = numpy.stack([numpy.sqrt(ranges_m**2 - 2000**2), 0 * ranges_m, 0 * ranges_m], -1)
    round_, cut = (abs(ct.backproject(lines, positions, points, periodic=periodic, **radar)).max()
                   for periodic in (True, False))
    assert cut < 0.1 * round_


def test_points_may_lie_anywhere(lines, positions, random):
    grid = level_grid()
    scattered = grid.reshape(-1, 3)[random.permutation(grid.size // 3)] + random.standard_normal((grid.size // 3, 3))
    got = ct.backproject(lines, positions, scattered, **radar)
    assert got.shape == (grid.size // 3,)
    assert signal_to_error_db(got, expected_sums(lines, positions, scattered)) > 67
    step = grid.copy()
    step[9:, :, 2] += 30  # half of them on a roof
    got = ct.backproject(lines, positions, step, **radar)
    assert signal_to_error_db(got, expected_sums(lines, positions, step)) > 67


@pytest.mark.parametrize("shape", [(1, 1), (1, 31), (33, 1), (2, 3), (2, 5, 7)])
def test_any_shape_of_points(lines, positions, random, shape):
    grid = numpy.array([2350.0, 0, 0]) + random.uniform(-20, 20, (*shape, 3))
    got = ct.backproject(lines, positions, grid, **radar)
    assert got.shape == shape
    assert signal_to_error_db(got, expected_sums(lines, positions, grid)) > 64  # of few points


def test_a_point_sums_to_the_number_of_lines(positions):
    place = numpy.array([2360.3, 4.2, 0.0])
    range_m = numpy.linalg.norm(place - positions, axis=1)
    offset = numpy.arange(samples_there) - (range_m[:, None] - radar["near_range_m"]) / radar["range_spacing_m"]
    echo = numpy.sinc(0.75 * offset) * numpy.exp(-4j * numpy.pi * radar["carrier_hz"] / c_m_s * range_m)[:, None]
    got = ct.backproject(echo.astype(numpy.complex64), positions, place[None], **radar)
    assert got[0] == pytest.approx(lines_there, rel=1e-3)


def test_an_antenna_flies_on_while_the_echo_is_on_its_way(lines, positions):
    velocity = numpy.array([0.0, 7500.0, 10.0])
    grid = level_grid(5, 5) + numpy.array([0, 200.0, 0])
    got = ct.backproject(lines, positions, grid, velocities_m_s=numpy.tile(velocity, (lines_there, 1)), **radar)
    assert signal_to_error_db(got, expected_sums(lines, positions, grid, velocity)) > 64
    assert signal_to_error_db(got, expected_sums(lines, positions, grid)) < 30


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"lines": numpy.zeros((3, 4))}, "complex64"),
        ({"positions_m": numpy.zeros((3, 3))}, "3 positions for 100 lines"),
        ({"positions_m": numpy.zeros((100, 2))}, r"\(n, 3\)"),
        ({"grid_m": numpy.zeros((4, 2))}, r"\(\.\.\., 3\)"),
        ({"grid_m": numpy.zeros((0, 3))}, "at least one"),
        ({"oversample": 0}, "1 to 64"),
        ({"carrier_hz": 0.0}, "above 0"),
        ({"signal_to_error_db": numpy.nan}, "to nan dB of signal to error, but that must be a finite number"),
        ({"positions_m": numpy.ma.masked_array(numpy.zeros((100, 3)), mask=numpy.eye(100, 3))}, "positions_m: has a mask"),
        ({"grid_m": numpy.ma.masked_array(level_grid(3, 3), mask=level_grid(3, 3) > 2400)}, "grid_m: has a mask"),
        ({"grid_m": 3.0}, r"grid_m has 1 dimensions, the last of 1"),
        ({"progress": 5}, "progress is 5"),
    ],
)
def test_what_does_not_fit_together_is_refused(lines, positions, change, complaint):
    asked = {"lines": lines, "positions_m": positions, "grid_m": level_grid(3, 3), **radar} | change
    with pytest.raises(ct.InputError, match=complaint):
        ct.backproject(**asked)


def test_what_is_not_finite_is_told(lines, positions):
    grid = level_grid()
    for where, given in (("positions_m", (lines, positions * numpy.nan, grid)),
                         ("grid_m", (lines, positions, grid + numpy.where(grid == grid[3, 4], numpy.nan, 0)))):
        with pytest.raises(ct.InputError, match=f"{where} holds nan in row"):
            ct.backproject(*given, **radar)
    with pytest.raises(ct.InputError, match="near_range_m is nan"):
        ct.backproject(lines, positions, grid, **radar | {"near_range_m": numpy.nan})
    holed = lines.copy()
    holed[3, 100] = numpy.nan
    with pytest.warns(ct.CornerturnWarning, match="1 samples of the lines are not finite"):
        sums = ct.backproject(holed, positions, grid, **radar)
    holed[3, 100] = 0
    assert numpy.array_equal(sums, ct.backproject(holed, positions, grid, **radar))


def test_points_may_come_as_lists(lines, positions):
    points = level_grid(3, 4)
    assert numpy.array_equal(ct.backproject(lines, positions.tolist(), points.tolist(), **radar),
                             ct.backproject(lines, positions, points, **radar))


@pytest.mark.parametrize("threads", [-1, 10**6])
def test_threads_that_no_machine_has_are_refused(lines, positions, threads):
    with pytest.raises(ct.InputError, match=f"threads is {threads}"):
        ct.backproject(lines, positions, level_grid(), threads=threads, **radar)


def test_one_point_alone_is_summed(lines, positions):
    place = numpy.array([2360.3, 4.2, 0.0])
    got = ct.backproject(lines, positions, place, **radar)
    assert got.shape == () and got == ct.backproject(lines, positions, place[None], **radar)[0]


@pytest.mark.parametrize("columns", [1, 21])
def test_the_antenna_may_have_been_at_a_point(columns):
    """Points on its track, which lie smoothly: the sums there are no numbers, those beside it are."""
    along = numpy.linspace(-20, 20, 200)
    track = numpy.stack([0 * along, along, 500 + 0 * along], -1)
    grid = track[:, None] + 2 * numpy.arange(columns)[:, None] * numpy.array([1.0, 0, 0])
    with pytest.warns(ct.CornerturnWarning, match=f"200 of {200 * columns} sums are not finite numbers"):
        sums = ct.backproject(numpy.ones((200, 256), numpy.complex64), track, grid, **radar | {"near_range_m": 850.0})
    assert numpy.isnan(sums[:, 0]).all() and not sums[:, 1:].any()
