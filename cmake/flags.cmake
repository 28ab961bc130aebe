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

# libFuzzer watches which branches of the library an input reaches; only the fuzz targets link its main.
if(CAIRN_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CAIRN_FUZZ needs clang; use the preset: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
