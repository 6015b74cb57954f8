# SPDX-License-Identifier: Apache-2.0
"""What a file would say of an echo that is an array."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Orbit:
    """State vectors in ECEF (WGS84) at ascending, even times."""

    time_s: Any  #: (n,), since the epoch
    position_m: Any  #: (n, 3)
    velocity_m_s: Any  #: (n, 3)


@dataclass
class Track:
    """Positions of the antenna as a navigation unit has them; they become an even track as with --track."""

    time_s: Any  #: (n,), since the epoch, ascending
    position: Any  #: (n, 3): x, y, z in m; east, north, up in m; or latitude_deg, longitude_deg, height_m
    frame: str = "local"  #: of the positions: "ecef", "local" (level, of the scene's own: images on maps "local" only)
    #: or "geographic"
    velocity_m_s: Any = None  #: (n, 3), ECEF or east, north, up; else from the positions
    roll_pitch_yaw_deg: Any = None  #: (n, 3): right wing down, nose up, clockwise from north


@dataclass
class Radar:
    """Radar and track of an echo, units in the names.

    A pulse exp(j pi K (u - T/2)^2), 0 <= u < T, K = chirp_slope_hz_s (negative: a down-chirp), T = chirp_duration_s,
    leaves at each line's time. An echo whose leading edge is sample k comes from near_range_m + k range_spacing_m;
    range_spacing_m is c/2 over the sample rate. Positive Doppler is towards the antenna."""

    prf_hz: float
    carrier_hz: float
    near_range_m: float
    range_spacing_m: float
    chirp_slope_hz_s: float
    chirp_duration_s: float
    velocity_m_s: float | None = None  #: effective, of a straight flight, where neither orbit nor track is given
    doppler_centroid_hz: float | None = None  #: absolute; else from orbit and attitude or the data
    azimuth_bandwidth_hz: float | None = None  #: Doppler bandwidth of all of the beam; else unknown
    orbit: Orbit | None = None
    track: Track | None = None
    replica: Any = None  #: (n,) complex: the pulse as it was sent, from its leading edge on, at the sample rate
    look_side: str = "right"  #: or "left"
    first_pulse_time_s: float = 0.0  #: since the epoch
    pulse_times_s: Any = None  #: (lines,), of each, where they are not in even steps
    epoch: str = "2000-01-01T00:00:00"
    mission: str = "UNKNOWN"
    polarization: str = "HH"
