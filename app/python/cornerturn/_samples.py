# SPDX-License-Identifier: Apache-2.0
"""What images and lines are as arrays."""

import numpy
from numpy.typing import NDArray

#: Lines x samples, or rows x columns.
Samples = NDArray[numpy.complex64]
