# SPDX-License-Identifier: Apache-2.0
# One interface target that every target of ours links: include root, warnings, floating-point rules.
add_library(cornerturn_flags INTERFACE)
target_include_directories(cornerturn_flags INTERFACE ${PROJECT_SOURCE_DIR})
# No errno, no traps: lets sqrt, floor and rint become vector instructions. Nothing that changes a result.
set(_cxx_flags -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fno-math-errno -fno-trapping-math)
if(CORNERTURN_NATIVE)
  list(APPEND _cxx_flags -march=native -mprefer-vector-width=512)
endif()
if(CORNERTURN_WERROR)
  list(APPEND _cxx_flags -Werror)
endif()
target_compile_options(cornerturn_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${_cxx_flags}>)
