# What the library is made of besides our own code (all Debian packages; tools/setup.sh installs them).
add_library(cairn_parts INTERFACE)

find_package(PkgConfig REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
target_include_directories(cairn_parts SYSTEM INTERFACE ${CHOLMOD_INCLUDE})
target_link_libraries(cairn_parts INTERFACE PkgConfig::HDF5 PkgConfig::LAPACKE ${CHOLMOD_LIBRARY} m)
