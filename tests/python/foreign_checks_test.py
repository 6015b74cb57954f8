# SPDX-License-Identifier: Apache-2.0
"""The example that asks other programs: what it makes of their answers, whoever is installed."""

import importlib.util
import pathlib
import sys

import pytest

path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "foreign_checks.py"
if not path.exists():
    pytest.skip("examples are not here", allow_module_level=True)
spec = importlib.util.spec_from_file_location("foreign_checks", path)
checks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(checks)


def content(_):
    return [], "reads <all> of it"


def not_content(_):
    return ["no corner"], "12 checks"


def not_here(_):
    raise ImportError("No module named 'sarkit'", name="sarkit")


def cannot_read(_):
    raise OSError("not a TIFF")


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("<html><body>\n<p>a run</p>\n</body></html>\n")

    def run(name, **programs):
        monkeypatch.setattr(checks, "CHECKS", {".tif": programs})
        monkeypatch.setattr(sys, "argv", ["foreign_checks.py", str(tmp_path / name), str(page)])
        code = checks.main()
        return code, capsys.readouterr().out, page.read_text()

    return run


@pytest.mark.parametrize(
    "check, code, says",
    [
        (content, 0, "one: reads <all> of it"),
        (not_content, 1, "one: error: no corner; 12 checks"),
        (not_here, 2, "one: is not here (sarkit)"),
        (cannot_read, 1, "one: error: OSError: not a TIFF; cannot read it"),
    ],
)
def test_what_is_said_and_the_exit_code(run, check, code, says):
    ended, printed, _ = run("a.tif", one=check)
    assert (ended, printed) == (code, says + "\n")


def test_the_page_has_one_section_for_each_image(run):
    run("a.tif", one=not_content)
    run("b.tif", one=content)
    _, _, page = run("a.tif", one=content, two=not_here)
    assert page.count("<h2>What other programs say of a.tif</h2>") == 1
    assert page.count("<h2>What other programs say of b.tif</h2>") == 1
    assert "no corner" not in page and page.count("reads &lt;all&gt; of it") == 2 and "is not here (sarkit)" in page
    assert page.startswith("<html><body>\n<p>a run</p>\n") and page.endswith("</table>\n</body></html>\n")


def test_what_is_no_page_stays_as_it_is(run, tmp_path):
    (tmp_path / "page.html").write_text("text")
    with pytest.raises(ValueError, match="no page of HTML"):
        run("a.tif", one=content)
    assert (tmp_path / "page.html").read_text() == "text"
