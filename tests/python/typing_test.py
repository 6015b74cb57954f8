# SPDX-License-Identifier: Apache-2.0
"""A user's program under mypy --strict."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

PROGRAM = """
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import cornerturn as ct


def focused(path: Path, out: Path) -> NDArray[np.complex64]:
    echo = ct.open(path)
    if isinstance(echo, ct.Image):
        return echo.numpy()
    plan: ct.Plan = ct.plan(echo, device="cpu", range_window="kaiser:2.5", stop=ct.StopRequest())
    needed: int = plan.memory["needed_bytes"]
    print(ct.__version__, plan.algorithm, needed, plan.steps, plan.warnings, plan.info["algorithm"])
    image = plan(echo, progress=lambda stage, fraction: print(stage, fraction))
    longitude, latitude = image.geometry.to_lonlat(row=1, column=[0, 2])
    height_m: float = image.geometry.height_m
    image.write(out, sample_type="f16")
    other = ct.focus(echo, np.zeros(image.shape, np.complex64), stop=ct.StopRequest())
    print(longitude, latitude, height_m, ct.analyze(other)["targets"], ct.compare(image, out), image.quality["entropy"])
    first: NDArray[np.complex64] = echo[0]
    part: NDArray[np.complex64] = echo[0:3, 1:4]
    print(first, part, echo[...], len(echo), echo.info["prf_hz"], echo.pulse_times_s, np.asarray(image), image[0, ::2])
    for device in ct.devices():
        print(device["name"])
    return image.numpy()


radar = ct.Radar(prf_hz=400, carrier_hz=9.65e9, near_range_m=3000, range_spacing_m=1.5, chirp_slope_hz_s=36e12,
                 chirp_duration_s=2e-6, velocity_m_s=120)
made = ct.Echo.from_array(np.zeros((3, 4), np.complex64), radar)
ct.simulate(ct.Scene(preset="airborne", lines=1600), noise=-20).write("raw.h5")
try:
    sums = ct.backproject(np.zeros((3, 4), np.complex64), np.zeros((3, 3)), np.zeros((2, 2, 3)), carrier_hz=1e9,
                          near_range_m=1.0, range_spacing_m=1.0)
except (ct.InputError, ct.DeviceError) as error:
    print(error)
"""


def test_a_program_with_types(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    checked = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "program.py"]
    where = os.environ | {"MYPYPATH": os.environ.get("PYTHONPATH", "")}
    found = subprocess.run(checked, cwd=tmp_path, env=where, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
