#!/bin/sh
# Installs the build into a temporary prefix, builds the examples against that as a stranger would, shared
# and static, and runs them.
#     consumer.sh cmake|pkgconfig SOURCE_DIR BUILD_DIR COMPILER [FLAG...]
# The flags are the build's own instrumentation, which a consumer of a sanitized library must share.
set -eu
way=$1
source=$2
build=$3
compiler=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix" # an installed tree may be moved
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name libcairn.a)")
examples=$source/examples

if [ "$way" = cmake ]; then
    if ! { CFLAGS=$* cmake -S "$source/tests/install/consumer" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$examples" &&
        cmake --build "$work/build"; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    programs=$work/build
else
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # pkg-config answers in words
    "$compiler" "$@" "$examples/solve_one.c" -o "$work/with_shared" $(pkg-config --cflags --libs cairn)
    # shellcheck disable=SC2046
    "$compiler" "$@" "$examples/solve_one.c" -o "$work/with_static" \
        $(pkg-config --static --cflags --libs cairn | sed 's/-lcairn/-l:libcairn.a/')
    # shellcheck disable=SC2046
    "$compiler" "$@" "$examples/hello.c" -o "$work/hello" $(pkg-config --cflags --libs cairn)
    # shellcheck disable=SC2046
    "$compiler" "$@" "$examples/own_solver.c" -o "$work/own_solver" $(pkg-config --cflags --libs cairn) -lm
    programs=$work
fi

# The shared one finds its library in the prefix and only the shared one needs it.
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
for program in "$programs/with_shared" "$programs/with_static"; do
    needs=no
    if readelf -d "$program" | grep -q 'NEEDED.*libcairn\.so'; then
        needs=yes
    fi
    case $program:$needs in
    *shared:no | *static:yes)
        echo "$(basename "$program") is linked with the wrong library"
        exit 1
        ;;
    esac
    for case_of in '0.4 slides' '0.8 sticks'; do
        "$program" "${case_of% *}" >"$work/output"
        cat "$work/output"
        grep -q "^solved: the block ${case_of#* }" "$work/output"
    done
done
"$programs/hello" >"$work/output"
grep '^height 0.5000 m, contact force 24525' "$work/output"
"$programs/own_solver"
for file in bin/cairn share/man/man1/cairn.1 share/bash-completion/completions/cairn; do
    if [ ! -e "$prefix/$file" ]; then
        echo "not installed: $file"
        exit 1
    fi
done
