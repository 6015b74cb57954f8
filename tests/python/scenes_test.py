# SPDX-License-Identifier: Apache-2.0
"""The examples for Dask and Ray, run as their readers run them: many scenes, a plan for each worker."""

import pathlib
import subprocess
import sys

import numpy
import pytest

import cornerturn as ct

examples = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def raws(tmp_path_factory, scene):
    """Three scenes of one kind, one of another, and a file that is none."""
    folder = tmp_path_factory.mktemp("raw")
    for seed in range(3):
        ct.simulate(scene, noise=-20, seed=seed).write(folder / f"scene{seed}.h5")
    ct.simulate(scene, lines=600, samples=600, seed=3).write(folder / "larger.h5")
    (folder / "nonsense.h5").write_text("no echo")
    return folder


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_scenes_are_focused_by_workers_and_a_bad_one_stops_no_other(engine, raws, tmp_path):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine], reason=f"{engine} is not installed")
    images = tmp_path / "images"
    asked = [sys.executable, examples / f"{engine}_scenes.py", raws, images, "2"]
    ended = subprocess.run(asked, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 1, ended.stderr
    good = sorted(raw.name for raw in raws.iterdir() if raw.name != "nonsense.h5")
    assert sorted(line.partition(":")[0] for line in ended.stdout.splitlines()) == good
    assert "nonsense.h5: failed: " in ended.stderr and "expected raw echo" in ended.stderr
    assert sorted(image.name for image in images.iterdir()) == good
    for name in good:
        alone = ct.focus(ct.open(raws / name), device="cpu")
        assert numpy.array_equal(ct.open(images / name).numpy(), alone.numpy())
