# SPDX-License-Identifier: Apache-2.0
"""SAR image formation on CPUs and GPUs: raw echo in, phase-true images out.

    import cornerturn as ct

    echo = ct.open("raw.h5")                 # lazy, any format
    image = ct.focus(echo, device="auto")    # options as of the command line
    image.numpy()                            # complex64, not copied
    image.write("slc.h5")

docs/python.md walks through it."""

from ._core import (
    CornerturnWarning,
    DeviceError,
    Echo,
    Image,
    InputError,
    Plan,
    StopRequest,
    __version__,
    analyze,
    backproject,
    compare,
    devices,
    focus,
    open,
    plan,
    presets,
    simulate,
    verify,
)
from ._geometry import Geometry
from ._progress import Progress
from ._radar import Orbit, Radar, Track
from ._samples import Samples
from ._scene import Scene

__all__ = [
    "CornerturnWarning",
    "DeviceError",
    "Echo",
    "Geometry",
    "Image",
    "InputError",
    "Orbit",
    "Plan",
    "Progress",
    "Radar",
    "Samples",
    "Scene",
    "StopRequest",
    "Track",
    "__version__",
    "analyze",
    "backproject",
    "compare",
    "devices",
    "focus",
    "open",
    "plan",
    "presets",
    "simulate",
    "verify",
]
