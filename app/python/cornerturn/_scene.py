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
    amplitude, phase_deg and height_m if need be; left out, nine on a grid.

    `Scene("spaceborne")` names the preset, too; `Scene(other, lines=2048)` is another scene with keys of its own."""

    def __init__(self, scene: Mapping[str, Any] | str | None = None, /, **keys: Any) -> None:
        if isinstance(scene, str):
            if "preset" in keys:
                raise InputError(f"Scene: two presets are named, {scene!r} and {keys['preset']!r}; leave one out")
            scene = {"preset": scene}
        if not (scene is None or isinstance(scene, Mapping)):
            raise InputError(
                f"Scene: {scene!r} is of type {type(scene).__name__}, expected the name of a preset, a mapping, or "
                "keywords, Scene(preset=\"spaceborne\", lines=2048)"
            )
        super().__init__(scene or {}, **keys)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"scene: {value!r} is of type {type(value).__name__}, expected texts, numbers, lists and mappings")


def json_of(scene: Mapping[str, Any]) -> str:
    """The text of a mapping; numbers and arrays of NumPy are numbers and lists."""
    return json.dumps(dict(scene), default=_plain)
