# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakeBuilder, CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Cornerturn(CMakePackage, CudaPackage):
    """Forms phase-true complex images from the raw echo of synthetic aperture radars (NISAR,
    ALOS PALSAR, Sentinel-1, CPHD), on GPUs and CPUs, simulates exact echoes, measures how sharp
    an image is, and proves that it is right."""

    # There is no release yet, whose url and sha256 would stand here: in a clone
    # `spack dev-build cornerturn@0.1.0`. This was looked through by spack-packages' own rules of
    # ruff, not built: where it was written Spack's sources were not to be had.

    license("Apache-2.0")

    version("0.1.0")

    variant("mpi", default=False, description="Let ranks share a job")
    variant(
        "fft",
        default="fftw",
        values=("fftw", "ducc"),
        multi=False,
        description="Transforms on the CPU. FFTW is under the GPL: what is handed on with CUDA "
        "takes DUCC0 (in a clone: scripts/setup --ducc brings it)",
    )

    resource(
        name="ducc0",
        url="https://files.pythonhosted.org/packages/source/d/ducc0/ducc0-0.42.0.tar.gz",
        sha256="4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef",
        destination=".ducc0",
        when="fft=ducc",
    )

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("cli11")
    depends_on("fftw@3:+shared precision=float,double", when="fft=fftw")
    depends_on("fmt@8:")
    depends_on("hdf5@1.10:+hl~mpi")
    depends_on("libdeflate")
    depends_on("libpng")
    depends_on("libtiff")
    depends_on("libzip")
    depends_on("nlohmann-json")
    depends_on("openssl")
    depends_on("proj@8:")
    depends_on("pugixml")
    depends_on("spdlog")
    depends_on("yaml-cpp")
    depends_on("cuda@12:", when="+cuda")
    depends_on("mpi", when="+mpi")
    depends_on("googletest", type="test")
    depends_on("valijson", type="test")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CORNERTURN_BENCHMARKS", False),
            self.define("CORNERTURN_TESTS", self.run_tests),
            self.define_from_variant("CORNERTURN_CUDA", "cuda"),
            self.define_from_variant("CORNERTURN_FFT", "fft"),
            self.define_from_variant("CORNERTURN_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(CMakeBuilder.define_cuda_architectures(self))
        return args

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        cornerturn = Executable(self.prefix.bin.cornerturn)
        with working_dir("check", create=True):
            cornerturn("simulate", "spaceborne", "-o", "raw.h5")
            cornerturn("focus", "raw.h5", "-o", "slc.h5", "--device", "cpu")
            cornerturn("analyze", "slc.h5")
