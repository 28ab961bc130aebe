#!/bin/sh
# Runs clang-tidy (.clang-tidy) over the library and the command, as the preset "clang" compiles them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/clang
cmake --preset clang >build/clang/configure.log 2>&1 || { cat build/clang/configure.log >&2; exit 1; }
log=build/clang/tidy.log
if find src app lab bench/*.c bench/engines -name '*.c' 2>/dev/null | LC_ALL=C sort |
    xargs -P "${JOBS:-2}" -n 4 clang-tidy -p build/clang --quiet --warnings-as-errors='*' >"$log" 2>/dev/null; then
    echo "clang-tidy: clean"
else
    cat "$log"
    exit 1
fi
