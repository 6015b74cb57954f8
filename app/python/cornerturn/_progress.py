# SPDX-License-Identifier: Apache-2.0
"""A bar for jobs that are told `progress=True`."""


class Bar:
    """By tqdm; where that is not installed, nothing."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._bar = None
        else:
            self._bar = tqdm(total=100, unit="%", bar_format="{desc:<28}{percentage:3.0f} %|{bar}| {elapsed}")

    def __call__(self, stage, fraction):
        if self._bar is None:
            return
        self._bar.set_description_str(stage, refresh=False)
        self._bar.n = round(100 * fraction)
        self._bar.refresh()

    def close(self):
        if self._bar is not None:
            self._bar.close()
