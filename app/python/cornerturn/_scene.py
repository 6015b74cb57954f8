# SPDX-License-Identifier: Apache-2.0
"""Scenes to be simulated."""

import json
from collections.abc import Mapping
from typing import Any

from ._core import InputError


class Scene(dict[str, Any]):
    """The keys of a scene file (docs/files.md) as keywords, units in their names.

    `Scene(preset="spaceborne", lines=2048)` takes all others from a preset; without one the radar's must all be there.
    `targets`: a list of {line, sample}, {range_m, zero_doppler_time_s} or {latitude_deg, longitude_deg}, each with
    amplitude, phase_deg and height_m if need be; left out, nine on a grid."""


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"scene: {value!r} is of type {type(value).__name__}, expected texts, numbers, lists and mappings")


def json_of(scene: Mapping[str, Any]) -> str:
    """The text of a mapping; numbers and arrays of NumPy are numbers and lists."""
    return json.dumps(dict(scene), default=_plain)
