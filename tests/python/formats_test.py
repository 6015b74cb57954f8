# SPDX-License-Identifier: Apache-2.0
"""Files of other formats than NISAR's, where the shared data are: bursts, spotlights, folders in zip archives."""

import os
import pathlib
import zipfile

import numpy
import pytest

import cornerturn as ct

data = pathlib.Path(os.environ.get("CORNERTURN_SHARED_DATA",
                                   pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"))
pytestmark = pytest.mark.skipif(not data.exists(), reason=f"no shared data in {data}")


def zipped(folder, archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for path in sorted(folder.iterdir()):
            zip_file.write(path, f"{folder.name}/{path.name}")
    return archive


def test_info_of_one_burst_names_the_others():
    first = ct.open(data / "tops" / "iw.dat")
    assert (first.info["swath"], first.info["burst_number"]) == ("IW1", 0)
    assert first.info["bursts"] == {"IW1": 3, "IW2": 3, "IW3": 3}
    last = ct.open(data / "tops" / "iw.dat", swath="IW3", burst=2)
    assert (last.info["swath"], last.info["burst_number"]) == ("IW3", 2)
    assert "bursts" not in ct.open(data / "foreign" / "palsar").info


def test_the_delay_that_a_file_tells_is_settled_when_it_is_opened():
    path = data / "cphd" / "capella_like_tropo.cphd"
    with pytest.warns(ct.CornerturnWarning, match=r"are taken off"):
        echo = ct.open(path)
    kept = ct.open(path, troposphere="keep")
    delay_m = kept.info["near_range_m"] - echo.info["near_range_m"]
    assert delay_m == pytest.approx(2.90, abs=0.02)  # which the warning says
    for asked in ("keep", "none"):
        with pytest.raises(ct.InputError, match=rf'troposphere="{asked}": .*ct\.open\(path, troposphere="keep"\)'):
            ct.plan(echo, device="cpu", troposphere=asked)
        assert ct.plan(kept, device="cpu", troposphere=asked).algorithm == "backprojection"
    with pytest.raises(ct.InputError, match=r'troposphere="remove": .* ct\.open\(path, troposphere="remove"\)'):
        ct.plan(kept, device="cpu", troposphere="remove")
    with pytest.raises(ct.InputError, match="^troposphere=\"dry\": unknown; choose auto, remove or keep"):
        ct.open(path, troposphere="dry")
    with pytest.raises(ct.InputError, match='troposphere="remove": .*NISAR L0B.* tells no delay of its own'):
        ct.plan(ct.open(data / "points" / "xband.h5"), device="cpu", troposphere="remove")


def test_a_spotlight_is_proven_on_its_map():
    proof = ct.verify(ct.open(data / "foreign" / "stripmap.cphd"), device="cpu")
    assert proof["passed"]
    proof = ct.verify(ct.open(data / "cphd" / "capella_like.cphd"), device="cpu")
    assert proof["passed"] and proof["algorithm"] == "backprojection"


@pytest.mark.parametrize("of", ["palsar", "sentinel1"])
def test_folders_are_read_from_zip_archives(of, tmp_path):
    folder = data / "foreign" / "palsar"
    if of == "sentinel1":
        folder = tmp_path / "S1A_S3_RAW__0SDV_20220414T102209_20220414T102236_042768_051AA4_E677.SAFE"
        folder.mkdir()
        (folder / "s1a-s3-raw-s-vv-20220414t102209-20220414t102236-042768-051aa4.dat").write_bytes(
            (data / "foreign" / "sentinel1_sm.dat").read_bytes())
    echo, of_zip = ct.open(folder), ct.open(zipped(folder, tmp_path / "raw.zip"))
    assert of_zip.info == echo.info
    assert numpy.array_equal(of_zip[100:120], echo[100:120])
