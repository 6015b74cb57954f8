# SPDX-License-Identifier: Apache-2.0
"""Where pixels of an image lie on the Earth."""

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import ArrayLike

#: A number, or an array.
Places = Any


def _numbers(given: ArrayLike) -> Any:
    """What is masked is not known."""
    return numpy.ma.filled(numpy.ma.asarray(given).astype(float), numpy.nan) if numpy.ma.isMA(given) else given


def _apply(function: Callable[..., Any], first: ArrayLike, second: ArrayLike, height_m: ArrayLike) -> Any:
    """Of broadcast arrays; numbers give numbers."""
    arrays = numpy.broadcast_arrays(*(_numbers(given) for given in (first, second, height_m)))
    shape = arrays[0].shape
    results = function(*(numpy.ascontiguousarray(array, dtype=float).ravel() for array in arrays))
    shaped = [result.reshape(shape)[()] for result in (results if isinstance(results, tuple) else (results,))]
    return tuple(shaped) if isinstance(results, tuple) else shaped[0]


class Geometry:
    """Places of pixels, by the image's orbit or its map. Rows and columns count from 0 at the centre of the first
    pixel, and may lie between pixels and outside. Heights are in m above the WGS84 ellipsoid; left out, that of the
    scene's middle (`height_m`): of a terrain each place has its own, which the caller must give. An orbit is followed
    for 15 s beyond its state vectors: of rows and places farther along the track nothing is known, and results are
    NaN. Raises InputError for an image of which nothing tells where it lies."""

    def __init__(self, places: Any) -> None:
        self._places = places

    @property
    def height_m(self) -> float:
        """Of the scene, in its middle, above the ellipsoid."""
        return float(self._places.height_m)

    @property
    def ground(self) -> dict[str, Any]:
        """Corners, middle, incidence and spacing on the ground, as `cornerturn info --geo` has it."""
        ground: dict[str, Any] = self._places.ground
        return ground

    def _height(self, height_m: ArrayLike | None) -> ArrayLike:
        return self.height_m if height_m is None else height_m

    def to_lonlat(self, row: ArrayLike, column: ArrayLike, height_m: ArrayLike | None = None) -> tuple[Places, Places]:
        """(longitude, latitude) in degrees of pixels: numbers, or arrays that broadcast. NaN where a range does not
        reach that height, or beyond the orbit."""
        longitude, latitude = _apply(self._places.to_lonlat, row, column, self._height(height_m))
        return longitude, latitude

    def to_pixel(
        self, longitude_deg: ArrayLike, latitude_deg: ArrayLike, height_m: ArrayLike | None = None
    ) -> tuple[Places, Places]:
        """(row, column) of places: the other way round. NaN where the antenna looks to another side, the Earth lies
        between, the antenna passes beyond the orbit, or a latitude is beyond +-90."""
        row, column = _apply(self._places.to_pixel, longitude_deg, latitude_deg, self._height(height_m))
        return row, column

    def incidence_deg(self, row: ArrayLike, column: ArrayLike, height_m: ArrayLike | None = None) -> Places:
        """Angle at the place between the ellipsoid's normal and the direction to the antenna, in degrees."""
        return _apply(self._places.incidence_deg, row, column, self._height(height_m))

    def __repr__(self) -> str:
        return f"<cornerturn.Geometry, scene at {self.height_m:.6g} m>"
