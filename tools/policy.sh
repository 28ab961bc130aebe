#!/bin/sh
# What thresholds of the default solver are worth: builds the command with another value of one row of
# src/solve/drivers/policy_rows.h after the other and lets each solve the same problems and scenes.
#     tools/policy.sh ROW=VALUE...
# The first line is the table as it stands. Of each group of problems: how many were solved, iterations in thousands,
# CPU seconds. Iterations are the same on every machine, seconds are not: compare lines of one run. With CAIRN_CORPUS
# set, its problems count as well. The copy and its build are in build/policy.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
rows=src/solve/drivers/policy_rows.h
for change in "$@"; do
    grep -qE "^ROW\([a-z0-9_]+, ${change%=*}, " "$rows" || { echo "policy: no row '${change%=*}' in $rows" >&2; exit 2; }
done
work=$PWD/build/policy
tree=$work/tree
mkdir -p "$tree"
exec 9>"$work/lock"
flock -n 9 || { echo "policy: another run uses $work" >&2; exit 1; }
git ls-files | while read -r file; do
    if [ -f "$file" ] && ! cmp -s "$file" "$tree/$file"; then
        mkdir -p "$tree/$(dirname "$file")"
        cp "$file" "$tree/$file"
    fi
done
launcher=
! command -v ccache >/dev/null || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
cmake -S "$tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCAIRN_TESTS=OFF $launcher >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log" >&2; exit 1; }
cairn=$work/build/cairn

# Objects of `cairn solve --json` or `cairn run --json`, one per line, to "solved of all, iterations, seconds".
figures() {
    awk '
        function of(key) { return match($0, "\"" key "\":[-+0-9.e]+") ? substr($0, RSTART + length(key) + 3, RLENGTH) + 0 : 0 }
        /"outcomes"/ { solved += of("solved"); all += of("steps"); iterations += of("iterations_mean") * of("steps") }
        /"outcome":/ { solved += /"outcome":"solved"/; all++; iterations += of("iterations") }
        { cpu += of("cpu_s") }
        END { printf "  %5d of %5d %8.1f %6.2f", solved, all, iterations / 1e3, cpu }'
}
# 3: some were not solved; 4: a file cannot be solved in the form asked for. Others are mistakes of this script.
expect() {
    "$@" 2>"$work/errors" || case $? in
    3 | 4) ;;
    *) cat "$work/errors" >&2; exit 1 ;;
    esac
}
solve() {
    expect "$cairn" solve "$@" --time-limit 1 --json
}
run() {
    expect "$cairn" run "$@" -f -o "$work/x.run" --no-evidence --json
}

spheres() { # cold and moving
    run sphere-settling --until 4 --tol 1e-2
    run sphere-settling --until 2 --tol 1e-4
    run settling-large --until 0.1 --tol 1e-3 --set generate.packing.count=2000
}
poured() {
    run pouring --until 1.5
    run pouring --until 0.3 --tol 1e-6
}
masonry() {
    run masonry-wall --until 0.4
    run masonry-arch --until 1
    run tower --until 2
    run chateau-gombert --until 0.5
}
joints() {
    run slider-crank-clearance --until 0.1
    run biped --until 1
    run chain-over-drum --until 0.5
}
shapes() {
    run dominoes --until 1
    run polyhedra-pouring --until 0.5
    run disks-cannonball --until 1
}
files() {
    if [ -n "${CAIRN_CORPUS:-}" ]; then
        solve --tol 1e-4 "$CAIRN_CORPUS"/local/*.hdf5
        solve --tol 1e-8 "$CAIRN_CORPUS"/local/*.hdf5
        solve --tol 1e-8 --operator body "$CAIRN_CORPUS"/global/*.hdf5
    fi
}
packed() {
    if [ -n "${CAIRN_CORPUS:-}" ]; then
        solve --tol 1e-4 "$CAIRN_CORPUS"/compaction/*.hdf5
    fi
}

groups='spheres poured masonry joints shapes files packed'
# One line: the table with the change, NAME=VALUE; without, as it stands.
measure() {
    sed "s/^\(ROW([a-z0-9_]*, ${1%=*}, \)[^,]*,/\1${1#*=},/" "$rows" >"$work/rows.h"
    cmp -s "$work/rows.h" "$tree/$rows" || cp "$work/rows.h" "$tree/$rows"
    cmake --build "$work/build" -j "${JOBS:-2}" --target cairn >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 1; }
    printf '%-30s' "$1"
    for group in $groups; do
        "$group" >"$work/answers"
        figures <"$work/answers"
    done
    printf '\n'
}

printf '%-30s' 'solved of all, 1e3 its, CPU s'
for group in $groups; do
    printf '  %-28s' "$group"
done
printf '\n'
measure 'as it stands'
for change in "$@"; do
    measure "$change"
done
rm -f "$work"/x.run*
