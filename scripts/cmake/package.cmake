# SPDX-License-Identifier: Apache-2.0
# What cpack makes (scripts/package): a Debian package of the program and one for who links its libraries. Packages of a
# build with CUDA have names of their own.
set(_cuda "")
set(_of_cuda "")
if(CORNERTURN_HAVE_CUDA)
  set(_cuda "-cuda")
  set(_of_cuda "
.
This package holds the CUDA back end as well, for where there are NVIDIA's driver
and cuFFT of CUDA ${CUDAToolkit_VERSION_MAJOR}, which no package of Debian brings.")
  if(CORNERTURN_FFT STREQUAL "fftw")
    string(APPEND _of_cuda "
NVIDIA's libraries are proprietary, FFTW is under the GPL: not to be handed on.")
  else()
    string(APPEND _of_cuda "
Transforms on the CPU are DUCC0's: nothing in it is under the GPL.")
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR cornerturn)
set(CPACK_PACKAGE_CONTACT "cornerturn maintainers <maintainers@users.noreply.a-seed-e3f0694b.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Names and versions of libraries, which it depends on, are those of one distribution.
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release _codename REGEX "^VERSION_CODENAME=")
  string(REPLACE "VERSION_CODENAME=" "1~" CPACK_DEBIAN_PACKAGE_RELEASE "${_codename}")
endif()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cornerturn${_cuda})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "Forms phase-true complex images from the echo of a synthetic aperture radar
(NISAR L0B to RSLC and GSLC, HDF5) by five algorithms, simulates exact echoes,
measures how sharp an image is, and proves that it is right.${_of_cuda}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcornerturn${_cuda}-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(_fftw "")
if(CORNERTURN_FFT STREQUAL "fftw")
  set(_fftw "libfftw3-dev, ")
endif()
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libdeflate-dev, ${_fftw}libfmt-dev, libhdf5-dev, "
  "libpng-dev, libproj-dev, libpugixml-dev, libssl-dev, libtiff-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Static libraries and headers, for programs that simulate, focus and analyse by
themselves. Found by CMake (cornerturn::data) and by pkg-config.${_of_cuda}")

# A PROJ inside looks for its data where Debian's has them.
get_target_property(_kind_of_proj PROJ::proj TYPE)
if(_kind_of_proj STREQUAL "STATIC_LIBRARY")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS proj-data)
endif()

if(CORNERTURN_HAVE_CUDA)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS libcuda1)
  foreach(_component PROGRAM DEVELOPMENT)
    string(REPLACE "-cuda" "" _plain ${CPACK_DEBIAN_${_component}_PACKAGE_NAME})
    set(CPACK_DEBIAN_${_component}_PACKAGE_PROVIDES "${_plain} (= ${PROJECT_VERSION})")
    set(CPACK_DEBIAN_${_component}_PACKAGE_CONFLICTS ${_plain})
    set(CPACK_DEBIAN_${_component}_PACKAGE_REPLACES ${_plain})
  endforeach()
endif()

# Licence and changes lie where Debian wants them, for each package.
if(CORNERTURN_FFT STREQUAL "fftw")
  set(_licence_of_binaries " A program linked with FFTW, which is under the GPL, version 2 or later, may be handed
 on only as a whole under the GPL, version 3, source code included: the binaries in
 this package are such ones.")
else()
  file(READ licences/ducc0 _ducc0)
  string(STRIP "${_ducc0}" _ducc0)
  string(REPLACE "\n\n" "\n.\n" _ducc0 "${_ducc0}")
  string(REPLACE "\n" "\n " _ducc0 " ${_ducc0}")
  set(_licence_of_binaries " The binaries hold, besides:\n .\n${_ducc0}")
endif()
configure_file(scripts/cmake/copyright.in ${PROJECT_BINARY_DIR}/generated/copyright @ONLY)
string(TIMESTAMP _now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(_component program development)
  string(TOUPPER ${_component} _of)
  set(_package ${CPACK_DEBIAN_${_of}_PACKAGE_NAME})
  set(_changes ${PROJECT_BINARY_DIR}/generated/${_package}/changelog.Debian)
  file(WRITE ${_changes} "cornerturn (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * What changed is in CHANGELOG.md of cornerturn.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${_now}\n")
  execute_process(COMMAND gzip -9nf ${_changes})
  install(FILES ${PROJECT_BINARY_DIR}/generated/copyright ${_changes}.gz DESTINATION share/doc/${_package} COMPONENT ${_component})
endforeach()
include(CPack)
