# Flags of our own sources only; nothing here leaks to users of the library.
add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
  $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion> # clang counts INFINITY and NAN, which are float by the standard
  $<$<C_COMPILER_ID:GNU>:-Wno-psabi> # wide vectors pass between inlined functions only
  -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

# Instrumentation goes to every object and to every link, tests and consumers of the build tree included.
set(cairn_instrument "")
if(CAIRN_SANITIZE)
  set(cairn_instrument -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
endif()
if(CAIRN_COVERAGE)
  list(APPEND cairn_instrument --coverage)
endif()
add_compile_options(${cairn_instrument})
add_link_options(${cairn_instrument})

# Hardening of what users run (tests/install/hardening.sh): canaries where a function has arrays, checked libc
# calls, no lazy binding, no executable stack, position-independent programs. Sanitizers check more and would be
# hindered by the libc wrappers; those need optimisation.
include(CheckPIESupported)
check_pie_supported()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT cairn_instrument)
  target_compile_options(cairn_flags INTERFACE -fstack-protector-strong)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(cairn_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  endif()
endif()

# A program searches for its libraries where they were found when it was linked, in the build tree as installed.
# CMake's other way writes a placeholder into the build tree's RUNPATH that ends in an empty element, which the
# loader reads as the current folder.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# libFuzzer watches which branches of the library an input reaches; only the fuzz targets link its main.
if(CAIRN_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CAIRN_FUZZ needs clang; use the preset: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
