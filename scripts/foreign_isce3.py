# SPDX-License-Identifier: Apache-2.0
"""Runs the Python code of isce3's RSLC reader, from a checkout, on a file. What is compiled in isce3 stands here as
little as the reader needs of it, and as what its C++ code asks of a file (RadarGridProduct.cpp, Serialization.h and
Orbit's BuildOrbit.cpp of 0.24).
"""

import importlib.util
import re
import sys
import types
from datetime import datetime
from pathlib import Path

import h5py
import numpy as np


class Trait:
    """A property of a pyre component: a default that an argument of the constructor replaces."""

    def __init__(self, default=None):
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return self if instance is None else instance.__dict__.get(self.name, self.default)

    def __set__(self, instance, value):
        instance.__dict__[self.name] = value


class Component:
    def __init_subclass__(cls, **_):
        pass

    def __new__(cls, *_, **values):
        made = object.__new__(cls)
        for name, value in values.items():
            if isinstance(getattr(cls, name, None), Trait):
                setattr(made, name, value)
        return made


class Channel:
    def __init__(self, name):
        self.name = name

    def log(self, text=""):
        raise RuntimeError(f"{self.name}: {text}")


class DateTime:
    def __init__(self, text):
        if not re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?", text):
            raise ValueError(f"isce3 reads no time of '{text}'")
        self.text = text
        self.seconds = datetime.fromisoformat(text.replace(" ", "T")[:19]).timestamp() + float("0" + text[19:])

    def __add__(self, seconds):
        sum_of = DateTime(self.text)
        sum_of.seconds += float(seconds)
        return sum_of


class Orbit:
    def __init__(self, states, epoch, type="Custom"):
        times = np.array([time.seconds for time, _, _ in states])
        steps = np.diff(times)
        if len(times) < 4 or np.ptp(steps) > 1e-6 * steps[0]:
            raise ValueError("isce3 wants at least four state vectors at uniform times")
        self.times, self.epoch, self.type = times, epoch, type

    def set_interp_method(self, name):
        name = name.decode() if isinstance(name, bytes) else str(name)
        if name not in ("Hermite", "Legendre") or (name == "Legendre" and len(self.times) < 9):
            raise ValueError(f"isce3 cannot interpolate by '{name}' here")


class Lut2d:
    def __init__(self, xcoord, ycoord, data):
        if data.shape != (len(ycoord), len(xcoord)):
            raise ValueError(f"isce3 wants a table of {len(ycoord)} x {len(xcoord)}, not {data.shape}")
        for axis in (xcoord, ycoord):
            if len(axis) < 2 or np.ptp(np.diff(axis)) > 1e-6 * abs(axis[1] - axis[0]):
                raise ValueError("isce3 wants uniform axes of at least two points")
        self.data = data


def package(name, path=None, **members):
    module = types.ModuleType(name)
    if path is not None:
        module.__path__ = [str(path)]
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


def load(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def reader_of(checkout):
    """The class RSLC and the function that tells a file's product, out of a checkout."""
    root = Path(checkout) / "python" / "packages"
    readers = root / "nisar" / "products" / "readers"
    if not (readers / "SLC" / "RSLC.py").exists():
        raise FileNotFoundError(f"{readers}/SLC/RSLC.py: no checkout of isce3")
    quiet = type("Quiet", (Channel,), {"log": lambda self, text="": None})
    package("journal", info=quiet, debug=quiet, warning=quiet, error=Channel)
    package(
        "pyre",
        component=Component,
        protocol=Component,
        export=lambda function: function,
        properties=types.SimpleNamespace(str=Trait, bool=Trait, int=Trait, float=Trait),
    )
    core = package(
        "isce3.core",
        root / "isce3" / "core",
        DateTime=DateTime,
        LUT2d=Lut2d,
        Orbit=Orbit,
        TimeDelta=float,
        StateVector=lambda *state: state,
    )
    package("isce3", core=core)
    load("isce3.core.types", root / "isce3" / "core" / "types.py")
    core.load_orbit_from_h5_group = load(
        "isce3.core.serialization", root / "isce3" / "core" / "serialization.py"
    ).load_orbit_from_h5_group
    package("nisar", root / "nisar")
    package("nisar.noise", NeszProduct=object)
    package("nisar.products", root / "nisar" / "products")
    package("nisar.h5", root / "nisar" / "h5")
    h5utils = load("nisar.h5.h5utils", root / "nisar" / "h5" / "h5utils.py")
    sys.modules["nisar.h5"].__dict__.update(
        {name: getattr(h5utils, name) for name in ("extractScalar", "bytestring", "extractWithIterator")}
    )
    everything = package("nisar.products.readers", readers)
    generic = load(
        "nisar.products.readers.GenericProduct.GenericProduct", readers / "GenericProduct" / "GenericProduct.py"
    )
    everything.GenericProduct = generic.GenericProduct
    package("nisar.products.readers.SLC", readers / "SLC")
    rslc = importlib.import_module("nisar.products.readers.SLC.RSLC")
    return rslc.RSLC, generic.get_hdf5_file_product_type


def require(group, name, dimensions):
    if name not in group:
        raise KeyError(f"isce3's C++ code wants {group.name}/{name}")
    if group[name].ndim != dimensions:
        raise ValueError(f"isce3's C++ code wants {dimensions} axes of {group.name}/{name}, not {group[name].ndim}")
    return group[name]


def check_compiled(path):
    """What isce3's C++ code asks of the file, without which it throws."""
    with h5py.File(path, "r", libver="latest", swmr=True) as file:
        groups = []
        file["science"].visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) else None)
        for word in ("swaths", "identification"):
            found = {name[: name.index(word) + len(word)] for name in groups if word in name}
            if len(found) != 1:
                raise ValueError(f"isce3's C++ code wants one group '{word}' below /science, not {sorted(found)}")
        product = file[next("science/" + name for name in groups if name.endswith("/swaths"))].parent
        swaths, metadata = product["swaths"], product["metadata"]
        times = require(swaths, "zeroDopplerTime", 1)
        require(swaths, "zeroDopplerTimeSpacing", 0)
        for name in (n for n in ("frequencyA", "frequencyB") if n in swaths):
            group = swaths[name]
            require(group, "slantRange", 1)
            for scalar in (
                "acquiredCenterFrequency",
                "processedCenterFrequency",
                "acquiredRangeBandwidth",
                "processedRangeBandwidth",
                "nominalAcquisitionPRF",
                "sceneCenterGroundRangeSpacing",
                "sceneCenterAlongTrackSpacing",
                "processedAzimuthBandwidth",
            ):
                require(group, scalar, 0)
            for k in range(1, int(group["numberOfSubSwaths"][()]) + 1):
                if require(group, f"validSamplesSubSwath{k}", 2).shape != (len(times), 2):
                    raise ValueError(f"isce3's C++ code wants {len(times)} x 2 of {group.name}/validSamplesSubSwath{k}")
            parameters = metadata[f"processingInformation/parameters/{name}"]
            for table in ("dopplerCentroid", "azimuthFMRate"):
                Lut2d(parameters["slantRange"][()], parameters["zeroDopplerTime"][()], parameters[table][()])
        if metadata["attitude/quaternions"].shape != (len(metadata["attitude/time"]), 4):
            raise ValueError("isce3's C++ code wants four numbers of each quaternion")


def check(path, checkout):
    """Opens, reads every image and what goes with it; returns a line on it."""
    reader, product_type = reader_of(checkout)
    if product_type(str(path)) != "RSLC":
        raise ValueError(f"isce3 takes the file for {product_type(str(path))}")
    product = reader(hdf5file=str(path), _RootPath="/science/LSAR")
    orbit, doppler = product.getOrbit(), product.getDopplerCentroid()
    names = []
    for frequency in product.frequencies:
        for polarization in product.polarizations[frequency]:
            if product.is_dataset_complex32(frequency, polarization):
                raise ValueError("isce3 takes the samples for halves")
            names.append(frequency + polarization)
    check_compiled(path)
    return f"images {', '.join(names)}, {len(orbit.times)} state vectors, Doppler table {doppler.data.shape}, rows of the C++ reader there"
