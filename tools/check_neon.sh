#!/bin/sh
# Builds the kernels for 64-bit ARM, runs them on an emulated processor, and compares their bits with
# those of this one. Needs a cross compiler and qemu: tools/setup.sh neon. Where they are not, says so.
set -eu
cd "$(dirname "$0")/.."
. tools/kernels.sh
if ! command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || ! command -v qemu-aarch64 >/dev/null 2>&1; then
    echo "neon: left out, needs tools/setup.sh neon"
    exit 0
fi
build=build/neon
rm -rf $build
compile_kernels "${CC:-gcc}" $build/here
"${CC:-gcc}" $build/here/*.o -o $build/kernels_here -lm
$build/kernels_here >$build/here.txt
compile_kernels aarch64-linux-gnu-gcc $build/arm
aarch64-linux-gnu-gcc -static $build/arm/*.o -o $build/kernels_arm -lm
qemu-aarch64 $build/kernels_arm >$build/arm.txt
# Whole registers are multiplied: two doubles, or four singles.
for kernel in solve_sweep_spheres_spheres_portable:2d solve_sweep_spheres_spheres_float:4s \
    solve_sweep_manifolds_manifolds_portable:2d detect_narrow_spheres_portable:2d; do
    if ! aarch64-linux-gnu-objdump -d "$build/arm/src_${kernel%:*}.c.o" |
        grep -qE "fmul[[:space:]]+v[0-9]+\.${kernel#*:},"; then
        echo "neon: ${kernel%:*} does not multiply whole registers"
        exit 1
    fi
done
compare_hashes neon $build/here.txt $build/arm.txt any
