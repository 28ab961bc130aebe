#!/bin/sh
# Prints the functions between main and the innermost sweep of a solve that have a stack frame, and fails where there
# are more than LIMIT.
#
#     tools/stack_depth.sh [CAIRN]      CAIRN: a command with debug information; default: built in build/stack
#
# Functions that are inlined have none; the debug build inlines only what has one caller. Needs gdb
# (tools/setup.sh debug).
set -eu
cd "$(dirname "$0")/.."
LIMIT=20

cairn=${1:-}
if [ -z "$cairn" ]; then
    sh tools/setup.sh build debug
    cmake -S . -B build/stack -G Ninja -DCMAKE_BUILD_TYPE=Debug >/dev/null
    cmake --build build/stack --target cairn >/dev/null
    cairn=build/stack/cairn
fi
run=$(mktemp -d)
trap 'rm -rf "$run"' EXIT

cat >"$run/frames.py" <<'EOF'
import gdb
frame = gdb.newest_frame()
while frame:
    if frame.type() != gdb.INLINE_FRAME:
        print("frame", frame.name())
    frame = frame.older()
EOF

# OPENBLAS_NUM_THREADS: else the command sets it and starts itself anew, which gdb would have to follow.
stack_of() { # SCENE KERNEL UNTIL
    OPENBLAS_NUM_THREADS=1 timeout -k 5 120 gdb -q -nx -batch -ex 'set confirm off' -ex 'set width 0' \
        -ex "break $2" -ex run -ex "source $run/frames.py" -ex kill \
        --args "$cairn" run -q -f --threads=1 --until="$3" -o "$run/stack.run" "$1" </dev/null 2>/dev/null |
        sed -n 's/^frame //p'
}

failed=0
for case in 'sphere-settling gs_sphere_sweep 0.5' 'masonry-arch gs_manifold_sweep 0.01'; do
    # shellcheck disable=SC2086 # three words
    stack_of $case >"$run/stack.txt"
    depth=$(wc -l <"$run/stack.txt")
    echo "${case%% *}: $depth frames"
    sed 's/^/    /' "$run/stack.txt"
    if [ "$depth" -eq 0 ] || [ "$depth" -gt $LIMIT ]; then
        failed=1
    fi
done
exit $failed
