# SPDX-License-Identifier: Apache-2.0
"""Scenes that the tests share: small ones, simulated once."""

import numpy
import pytest

import cornerturn as ct

# X band, an aperture of some 200 lines.
small_scene = ct.Scene(
    carrier_hz=9.65e9,
    prf_hz=400,
    sample_rate_hz=100e6,
    near_range_m=3000,
    lines=512,
    samples=512,
    chirp_slope_hz_s=36e12,
    chirp_duration_s=2e-6,
    velocity_m_s=120,
    doppler_centroid_hz=0,
    azimuth_bandwidth_hz=180,
    targets=[{"line": 256.3, "sample": 150.7}],
)


@pytest.fixture(scope="session")
def scene():
    return ct.Scene(small_scene)


@pytest.fixture(scope="session")
def echo():
    return ct.simulate(small_scene)


@pytest.fixture(scope="session")
def image(echo):
    return ct.focus(echo, device="cpu", algorithm="rda")


@pytest.fixture(scope="session")
def spaceborne():
    """Along an orbit."""
    return ct.simulate("spaceborne", lines=1400, samples=1800)


@pytest.fixture
def random():
    return numpy.random.default_rng(20261126)
