# SPDX-License-Identifier: Apache-2.0
"""What other people's programs say of an image: sarkit's sicdcheck and GDAL of SICD, rio-cogeo and GDAL of GeoTIFF, GDAL
of ENVI, h5py of HDF5. Those that this Python has are asked; which are not here is said.

usage: foreign_checks.py IMAGE [PAGE]    PAGE: of `cornerturn focus --report`, which gets a section with the answers,
                                         in the place of one that it has of this image
Exit code 1 where one of them finds an error, 2 where none is here.

`pip install sarkit lxml rio-cogeo h5py` brings them all."""

import html
import pathlib
import re
import sys

def by_sicdcheck(path):
    from sarkit.verification import SicdConsistency

    with open(path, "rb") as file:
        checker = SicdConsistency.from_file(file)
        checker.check()
    failed = [one for check in checker.failures().values() for one in check["details"] if not one["passed"]]
    errors = [one["details"] for one in failed if one["severity"] == "Error"]
    wanted = [one["details"] for one in failed if one["severity"] != "Error"]
    return errors, f"{len(checker.all())} checks" + "".join(f"; would rather have: {text}" for text in wanted)


def by_cog_validate(path):
    from rio_cogeo.cogeo import cog_validate

    valid, errors, warnings = cog_validate(str(path), strict=True, quiet=True)
    return list(errors) + list(warnings), "is cloud-optimised" if valid else "is not cloud-optimised"


def by_gdal(path):
    import rasterio

    with rasterio.open(path) as data:
        for _, window in data.block_windows(1):
            data.read(1, window=window)
        points, crs = data.gcps
        place = f"in {data.crs}" if data.crs else f"{len(points)} control points in {crs}" if points else "of no place"
        types = ", ".join(data.dtypes)
        return [], f"{data.driver}: all of {data.height} x {data.width} {types} were read, {place}"


def by_h5py(path):
    import h5py

    found = []

    def note(name, one):
        if isinstance(one, h5py.Dataset) and one.ndim == 2 and one.dtype.kind in "cV":
            one[-1]
            found.append(f"{name} {one.shape[0]} x {one.shape[1]} {one.dtype}")

    with h5py.File(path) as file:
        file.visititems(note)
    return [] if found else ["no complex image in it"], "; ".join(found)


CHECKS = {
    ".nitf": {"sarkit's sicdcheck": by_sicdcheck, "GDAL": by_gdal},
    ".ntf": {"sarkit's sicdcheck": by_sicdcheck, "GDAL": by_gdal},
    ".tif": {"rio-cogeo": by_cog_validate, "GDAL": by_gdal},
    ".slc": {"GDAL": by_gdal},
    ".h5": {"h5py": by_h5py},
}


def asked(path):
    """(program, errors or None where it is not here, what it says) of each for this kind of file."""
    for name, check in CHECKS[path.suffix].items():
        try:
            yield (name, *check(path))
        except ImportError as missing:
            yield name, None, f"is not here ({missing.name})"
        except Exception as refused:  # noqa: whatever a reader raises is what it says
            yield name, [f"{type(refused).__name__}: {refused}"], "cannot read it"


def with_section(page, image, rows):
    """The text of a page, with what was said of an image."""
    cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>\n" for name, text in rows)
    heading = f"<h2>What other programs say of {html.escape(image.name)}</h2>\n<table>\n"
    kept = re.sub(f"{re.escape(heading)}.*?</table>\n", "", page, flags=re.DOTALL)
    body, end, rest = kept.rpartition("</body>")
    if not end:
        raise ValueError("is no page of HTML: it has no </body>")
    return f"{body}{heading}{cells}</table>\n{end}{rest}"


def main():
    if len(sys.argv) not in (2, 3) or pathlib.Path(sys.argv[1]).suffix not in CHECKS:
        sys.exit(f"{__doc__.partition('usage: ')[2]}\nIMAGE: {', '.join(CHECKS)}")
    image = pathlib.Path(sys.argv[1])
    rows, wrong, here = [], False, False
    for name, errors, says in asked(image):
        wrong, here = wrong or bool(errors), here or errors is not None
        rows.append((name, "; ".join([f"error: {error}" for error in errors or []] + [says])))
        print(f"{name}: {rows[-1][1]}")
    if len(sys.argv) == 3:
        page = pathlib.Path(sys.argv[2])
        page.write_text(with_section(page.read_text(), image, rows))
    return 1 if wrong else 0 if here else 2


if __name__ == "__main__":
    sys.exit(main())
