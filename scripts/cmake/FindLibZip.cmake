# SPDX-License-Identifier: Apache-2.0
# libzip: target LibZip::zip. Debian's package of its own for CMake asks for the programs of libzip-tools, too.
find_path(LIBZIP_INCLUDE_DIR zip.h)
find_library(LIBZIP_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LIBZIP_LIBRARY LIBZIP_INCLUDE_DIR)
if(LibZip_FOUND AND NOT TARGET LibZip::zip)
  add_library(LibZip::zip UNKNOWN IMPORTED)
  set_target_properties(LibZip::zip PROPERTIES IMPORTED_LOCATION ${LIBZIP_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
    ${LIBZIP_INCLUDE_DIR})
endif()
mark_as_advanced(LIBZIP_INCLUDE_DIR LIBZIP_LIBRARY)
