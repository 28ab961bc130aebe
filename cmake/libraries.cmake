# What the library is made of besides our own code (all Debian packages; tools/setup.sh installs them).
# The installed package reads this file too, for users of the static library (cmake/cairn-config.cmake.in);
# cairn_parts_FOUND says whether all is there.
add_library(cairn_parts INTERFACE IMPORTED)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(CAIRN_MODULES QUIET IMPORTED_TARGET lapacke qhull_r muparser sqlite3 yaml-0.1 zlib)
endif()
find_path(XXHASH_INCLUDE xxhash.h) # used as a header only
find_path(AMD_INCLUDE amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
find_library(KLU_LIBRARY klu)
mark_as_advanced(XXHASH_INCLUDE AMD_INCLUDE AMD_LIBRARY KLU_LIBRARY)

# CHOLMOD's supernodal part is under the GPL. Without it (CAIRN_CHOLMOD=OFF) the linear backend "cholmod" is
# absent and our own "skyline" takes its place, slower on large meshes.
if(CAIRN_CHOLMOD)
  find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  mark_as_advanced(CHOLMOD_INCLUDE CHOLMOD_LIBRARY)
endif()

if(TARGET PkgConfig::CAIRN_MODULES AND XXHASH_INCLUDE AND AMD_INCLUDE AND AMD_LIBRARY AND KLU_LIBRARY
   AND (NOT CAIRN_CHOLMOD OR (CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY)))
  set(cairn_parts_FOUND TRUE)
  target_include_directories(cairn_parts SYSTEM INTERFACE ${AMD_INCLUDE})
  target_link_libraries(cairn_parts INTERFACE PkgConfig::CAIRN_MODULES ${KLU_LIBRARY} ${AMD_LIBRARY} m)
  if(CAIRN_CHOLMOD)
    target_include_directories(cairn_parts SYSTEM INTERFACE ${CHOLMOD_INCLUDE})
    target_link_libraries(cairn_parts INTERFACE ${CHOLMOD_LIBRARY})
    target_compile_definitions(cairn_parts INTERFACE CAIRN_WITH_CHOLMOD)
  endif()
else()
  set(cairn_parts_FOUND FALSE)
endif()
