# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Component `program`: the program with its manual page and what shells complete.
# Component `development`: the libraries, their headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# --- program
install(TARGETS cornerturn RUNTIME COMPONENT program)
install(FILES LICENSE CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# zsh of Debian looks for what packages bring in a folder of its own.
set(_zsh_folder share/zsh/site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
  set(_zsh_folder share/zsh/vendor-completions)
endif()
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "the program does not run here: it is installed without manual page and completion")
else()
  # The program writes them itself, from its help.
  set(_from_help ${PROJECT_BINARY_DIR}/generated/help)
  install(CODE "
    file(MAKE_DIRECTORY \"${_from_help}\")
    foreach(_kind man bash zsh fish)
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:cornerturn>\" completion \${_kind}
        OUTPUT_FILE \"${_from_help}/\${_kind}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    execute_process(COMMAND gzip -9nf \"${_from_help}/man\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(FILES ${_from_help}/man.gz RENAME cornerturn.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${_from_help}/bash RENAME cornerturn DESTINATION share/bash-completion/completions COMPONENT program)
  install(FILES ${_from_help}/zsh RENAME _cornerturn DESTINATION ${_zsh_folder} COMPONENT program)
  install(FILES ${_from_help}/fish RENAME cornerturn.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
endif()

# --- libraries: data needs pipeline, which needs kernels
set(_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cornerturn)
foreach(_library kernels pipeline data)
  set_target_properties(ct_${_library} PROPERTIES EXPORT_NAME ${_library} OUTPUT_NAME cornerturn_${_library}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(ct_${_library} PUBLIC cxx_std_20)
  # Both <cornerturn/pipeline/run/focus.h> and "pipeline/run/focus.h", as the headers name each other.
  target_include_directories(ct_${_library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/cornerturn>)
endforeach()
install(TARGETS ct_kernels ct_pipeline ct_data EXPORT cornerturn ARCHIVE COMPONENT development
  LIBRARY COMPONENT program NAMELINK_COMPONENT development)
install(EXPORT cornerturn NAMESPACE cornerturn:: FILE cornerturnTargets.cmake DESTINATION ${_package_folder}
  COMPONENT development)

# --- headers: these, and what they include
set(_public_headers
  kernels/device/device.h
  kernels/errors.h
  kernels/interrupt.h
  kernels/math/speed_of_light.h
  kernels/steps/steps.h
  pipeline/formers/former.h
  pipeline/measure/image_comparison.h
  pipeline/measure/point_analysis.h
  pipeline/proof/simulator.h
  pipeline/run/autofocus.h
  pipeline/run/focus.h
  pipeline/measure/multilook.h
  pipeline/run/shared_frame.h
  data/detected/detected_image.h
  data/nisar/gslc_reader.h
  data/nisar/gslc_writer.h
  data/nisar/l0b_reader.h
  data/nisar/l0b_writer.h
  data/nisar/rslc_reader.h
  data/nisar/rslc_writer.h
  data/picture/quicklook.h
  data/raw_file.h
  data/scene/scene_file.h
  data/terrain/terrain_file.h)
install(CODE "
  set(_source \"${PROJECT_SOURCE_DIR}\")
  set(_destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/cornerturn\")
  set(_headers \"${_public_headers}\")
  include(\"\${_source}/scripts/cmake/install_headers.cmake\")" COMPONENT development)

# --- CMake package, pkg-config
configure_package_config_file(scripts/cmake/cornerturnConfig.cmake.in ${PROJECT_BINARY_DIR}/cornerturnConfig.cmake
  INSTALL_DESTINATION ${_package_folder})
# Until 1.0 a new second number may change what the headers declare.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cornerturnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cornerturnConfig.cmake ${PROJECT_BINARY_DIR}/cornerturnConfigVersion.cmake
  scripts/cmake/FindDeflate.cmake scripts/cmake/FindFFTW3.cmake scripts/cmake/FindLibZip.cmake
  DESTINATION ${_package_folder} COMPONENT development)

# Static libraries: who links them links what they need. pkg-config keeps the order of -l, not that of files.
set(_files ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
if(CORNERTURN_HAVE_CUDA)
  list(APPEND _files ${CUDA_cudart_static_LIBRARY})
endif()
if(CORNERTURN_HAVE_MPI)
  list(APPEND _files ${MPI_C_LIBRARIES})
endif()
set(_pc_libraries "")
foreach(_file IN LISTS _files)
  if(_file MATCHES "^(.*)/lib([^/]*(hdf5|cudart|mpi)[^/]*)[.](so|a)$")
    string(APPEND _pc_libraries " -L${CMAKE_MATCH_1} -l${CMAKE_MATCH_2}")
  endif()
endforeach()
set(_pc_fft "")
if(CORNERTURN_FFT STREQUAL "fftw")
  set(_pc_fft "fftw3 fftw3f ")
endif()
file(RELATIVE_PATH _pc_prefix /root/${CMAKE_INSTALL_LIBDIR}/pkgconfig /root)
configure_file(scripts/cmake/cornerturn.pc.in ${PROJECT_BINARY_DIR}/cornerturn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cornerturn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
