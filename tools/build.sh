#!/bin/sh
# Configures and builds presets.
#     tools/build.sh PRESET [TARGET...]
# CMake's words are shown only when something is wrong; the build tells its progress.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset"
log=build/$preset/configure.log
# The release is also what `make demo` and `make install` build, on machines that have no test libraries.
tests=
if [ "$preset" = release ] && ! pkg-config --exists cmocka; then
    tests=-DCAIRN_TESTS=OFF
elif [ "$preset" = release ]; then
    tests=-DCAIRN_TESTS=ON
fi
if ! cmake --preset "$preset" $tests >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
echo "building $preset"
if [ $# -eq 0 ]; then
    set -- all
fi
cmake --build "build/$preset" -j "${JOBS:-2}" --target "$@"
