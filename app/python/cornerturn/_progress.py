# SPDX-License-Identifier: Apache-2.0
"""How jobs tell where they are."""

from collections.abc import Callable
from typing import Any, Union

#: True: a bar, where tqdm is installed; or called with (stage, fraction of it all). What it raises stops the job.
Progress = Union[bool, Callable[[str, float], object], None]


class Bar:
    """Of jobs that are told `progress=True`, by tqdm; where that is not installed, nothing."""

    def __init__(self) -> None:
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            self._bar = tqdm(total=100, unit="%", bar_format="{desc:<28}{percentage:3.0f} %|{bar}| {elapsed}")

    def __call__(self, stage: str, fraction: float) -> None:
        if self._bar is None:
            return
        self._bar.set_description_str(stage, refresh=False)
        self._bar.n = round(100 * fraction)
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
