# SPDX-License-Identifier: Apache-2.0
"""SICD files, by sarkit, sarpy and GDAL. For scripts/check-products."""

import numpy as np

from product_points import geographic, offsets_px, said_of, samples_of, squares_of


def sicd_errors(path):
    """What sicdcheck calls an error; what it would only want otherwise comes second."""
    from sarkit.verification import SicdConsistency

    with open(path, "rb") as file:
        checker = SicdConsistency.from_file(file)
        checker.check()
    failed = [one for check in checker.failures().values() for one in check["details"] if not one["passed"]]
    errors = [one["details"] for one in failed if one["severity"] == "Error"]
    if errors:
        raise ValueError(f"sicdcheck: {errors}")
    return sorted(one["details"] for one in failed)


def spectra(tree, read, shape, pixels):
    """Whether the middles of targets' spectra lie where DeltaKCOAPoly says, but for whole sampling rates."""
    import sarkit.sicd

    helper, worst = sarkit.sicd.XmlHelper(tree), 0.0
    for pixel in pixels:
        if not all(20 <= p < size - 20 for p, size in zip(pixel, shape)):
            continue
        top, left_edge = (round(p) - 16 for p in pixel)
        patch = read(top, left_edge, 32)
        place = sarkit.sicd.rowcol_to_xrowycol(tree, pixel)
        for axis, name in enumerate(("Row", "Col")):
            names = (f"{{*}}Grid/{{*}}{name}/{{*}}{what}" for what in ("SS", "Sgn", "DeltaKCOAPoly"))
            spacing, sign, polynomial = map(helper.load, names)
            turn = np.angle(np.sum(np.delete(patch, 0, axis) * np.conj(np.delete(patch, -1, axis)))) / (2 * np.pi)
            told = np.polynomial.polynomial.polyval2d(*place, polynomial) * spacing
            worst = max(worst, abs(np.remainder(-sign * turn - told + 0.5, 1) - 0.5))
    if worst > 0.05:
        raise ValueError(f"spectra lie {worst:.3f} of the sampling rate beside DeltaKCOAPoly")
    return f"spectra within {worst:.3f} of the rate"


def opened(path):
    """XML and samples by sarkit, the reader of sarpy, samples by GDAL."""
    import rasterio
    import sarkit.sicd
    from sarpy.io.complex.sicd import SICDReader

    with open(path, "rb") as file, sarkit.sicd.NitfReader(file) as reader:
        tree, by_sarkit = reader.metadata.xmltree, reader.read_image()
    with rasterio.open(path) as data:
        by_gdal = data.read(1) + 1j * data.read(2)
    return tree, by_sarkit, SICDReader(str(path)), by_gdal


def pixels_by_sarkit(tree, places_m):
    """Row and column of places in ECEF."""
    import sarkit.sicd
    import sarkit.sicd.projection as projection

    grid_m, _, _ = projection.scene_to_image(projection.MetadataParams.from_xml(tree), places_m)
    return sarkit.sicd.xrowycol_to_rowcol(tree, grid_m)


def pixels_by_both(tree, reader, places_m, **how):
    """The same, where sarpy has them at the same place."""
    pixels = pixels_by_sarkit(tree, places_m)
    by_sarpy, _, _ = reader.sicd_meta.project_ground_to_image(places_m, **how)
    if np.abs(pixels - by_sarpy).max() > 0.01:
        raise ValueError(f"sarkit and sarpy differ by {np.abs(pixels - by_sarpy).max():.3f} px")
    return pixels


def sicd(images):
    """Samples by sarkit, sarpy and GDAL; places of targets by the projections of sarkit and sarpy."""
    import h5py

    slc = images.focus("slc.h5")
    path = images.convert(slc, "slc.nitf")
    wants = sicd_errors(path)
    with h5py.File(slc) as file:
        samples = samples_of(file)[()]
        left = file["science/LSAR/identification/lookDirection"][()].decode().lower() == "left"
    expected = samples.T[:, ::-1] if left else samples.T
    tree, by_sarkit, reader, by_gdal = opened(path)
    for name, read in (("sarkit", by_sarkit), ("sarpy", reader[:, :]), ("GDAL", by_gdal)):
        if not np.array_equal(read, expected):
            raise ValueError(f"{name} reads other samples than h5py")

    places, read = np.array(images.targets_m), squares_of(by_sarkit)
    pixels = pixels_by_both(tree, reader, places)
    said = said_of(offsets_px(read, by_sarkit.shape, pixels)) + ", " + spectra(tree, read, by_sarkit.shape, pixels)
    # There and back: what the program's own geometry is not needed for.
    heights = [geographic(place)[2] for place in places]
    back = np.array([reader.sicd_meta.project_image_to_ground_geo(pixel, projection_type="HAE", hae0=height)
                     for pixel, height in zip(pixels, heights)])
    straight = np.array([geographic(place) for place in places])
    metres = 111e3 * np.abs(back[:, :2] - straight[:, [1, 0]]).max()
    return f"{said}, back to the ground within {metres:.2f} m" + (f"; wanted: {', '.join(wants)}" if wants else "")


def sicd_of_map(images, grid, *options):
    """A map as SICD (PLANE): samples by sarkit, sarpy and GDAL are those of the HDF5 image, turned by quarters; targets,
    also those beside the plane, where the projections of sarkit and sarpy have them."""
    import h5py

    image = images.focus(f"{grid}.h5", "--grid", grid, *options)
    path = images.convert(image, f"{grid}.nitf")
    wants = sicd_errors(path)
    with h5py.File(image) as file:
        expected = samples_of(file)[()]
    tree, by_sarkit, reader, by_gdal = opened(path)
    if not any(np.array_equal(by_sarkit, np.rot90(expected, quarters)) for quarters in range(4)):
        raise ValueError("sarkit reads other samples than h5py")
    for name, read in (("sarpy", reader[:, :]), ("GDAL", by_gdal)):
        if not np.array_equal(read, by_sarkit):
            raise ValueError(f"{name} reads other samples than sarkit")
    pixels, read = pixels_by_both(tree, reader, np.array(images.targets_m), tolerance=1e-4), squares_of(by_sarkit)
    said = said_of(offsets_px(read, by_sarkit.shape, pixels)) + ", " + spectra(tree, read, by_sarkit.shape, pixels)
    return said + (f"; wanted: {', '.join(wants)}" if wants else "")


def sicd_of_integers(images):
    """Codes by sarkit and GDAL, what sarpy makes of them, beside the samples of the HDF5 image; targets by sarkit."""
    import rasterio
    import sarkit.sicd
    from sarpy.io.complex.sicd import SICDReader

    slc, said = images.focus("slc.h5"), []
    exact = SICDReader(str(images.convert(slc, "exact.nitf")))[:, :]
    full_scale = np.abs(exact).max()
    for name, least_db in (("int16", 35), ("amp8-phs8", 30)):
        path = images.convert(slc, f"{name}.nitf", "--sample-type", name)
        sicd_errors(path)
        with open(path, "rb") as file, sarkit.sicd.NitfReader(file) as reader:
            tree, codes = reader.metadata.xmltree, reader.read_image()
        first, second = (codes[part].astype(float) for part in codes.dtype.names)
        if name == "int16":
            value = (first + 1j * second) * full_scale / 32767
        else:
            table = [float(node.text) for node in tree.findall("{*}ImageData/{*}AmpTable/{*}Amplitude")]
            value = np.array(table)[first.astype(int)] * np.exp(2j * np.pi * second / 256)
        with rasterio.open(path) as data:
            if not np.array_equal(data.read(1), first) or not np.array_equal(data.read(2), second):
                raise ValueError(f"{name}: GDAL reads other codes than sarkit")
        by_sarpy = SICDReader(str(path))[:, :]
        if name == "int16":
            by_sarpy = by_sarpy * full_scale / 32767  # which SICD has no place for
        if np.abs(by_sarpy - value).max() > 1e-4 * full_scale:
            raise ValueError(f"{name}: sarpy reads other samples than sarkit")
        db = 10 * np.log10(np.sum(np.abs(exact) ** 2) / np.sum(np.abs(value - exact) ** 2))
        if db < least_db:
            raise ValueError(f"{name}: {db:.1f} dB of signal to error")
        offsets = offsets_px(squares_of(value), value.shape, pixels_by_sarkit(tree, np.array(images.targets_m)))
        said.append(f"{name} {db:.1f} dB, {said_of(offsets)}")
    return "; ".join(said)
