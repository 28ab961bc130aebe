# What the checks of kernels on other processors share; sourced from the project's folder.
# shellcheck shell=sh disable=SC2086 # flags are words on purpose

# Objects of all kernels, and of the program that prints their hashes.
#     compile_kernels COMPILER FOLDER [FLAG...]
compile_kernels() {
    compiler=$1
    folder=$2
    shift 2
    mkdir -p "$folder"
    for source in src/solve/sweep_spheres/spheres_*.c src/detect/narrow/spheres_*.c src/solve/acceleration/anderson_*.c \
        src/solve/sweep_manifolds/manifolds_portable.c src/solve/sweep_manifolds/manifolds_float*.c \
        src/solve/sweep_manifolds/manifolds_avx*.c src/problem/grade/grade_contacts_avx*.c tests/kernels/*.c; do
        kind=
        case $compiler:$source in
        aarch64*) ;;
        *_avx2.c) kind=-mavx2 ;;
        *_avx512.c) kind='-mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512' ;;
        esac
        "$compiler" -std=c17 -O3 -Wall -Wextra -Wconversion -Werror -Wno-psabi -ffp-contract=off -fno-math-errno \
            -fno-trapping-math -Iinclude -Isrc -Itests/kernels $kind "$@" \
            -c "$source" -o "$folder/$(echo "$source" | tr / _).o"
    done
}

# Compares the hashes of another processor with those of this one; all kernels must be among them.
#     compare_hashes NAME HERE OTHER PROCESSOR
compare_hashes() {
    awk -v name="$1" -v processor="$4" '
    NF != 3 || length($3) != 16 { print name ": not a hash: " $0; bad = 1; next }
    FNR == NR { if (!($1 in hash)) { hash[$1] = $3; kernels++ } }
    FNR < NR { lines++; seen[$1] = seen[$1] || $2 == processor }
    hash[$1] != $3 { print name ": " $1 " has other bits for " $2; bad = 1 }
    END {
        for (kernel in hash) {
            if (!seen[kernel]) { print name ": no hash of " kernel; bad = 1 }
        }
        if (!bad) { print name ": " kernels " kernels, " lines " hashes, the same bits as here" }
        exit bad || kernels == 0
    }' "$2" "$3"
}
