#!/bin/sh
# Mutation testing: puts one small mistake after the other into a copy of the source, builds it and runs the tests
# that reach it. A mistake that no test finds has survived; at least 95 % must be found.
#     tools/mutate.sh [--list FILE] [PATTERN]
# PATTERN (an extended regular expression) chooses mutants by name. The list is tools/mutants.txt, where a mutant is
#     == NAME
#     file: SOURCE
#     tests: GROUP...          groups of tests/<room>/test_<group>.c that reach the file
#     old: TEXT                exactly once in the file
#     new: TEXT
# The copy and its build are in build/mutate; ccache makes it fast where it is installed. Takes about half an hour.
set -eu
cd "$(dirname "$0")/.."
list=$PWD/tools/mutants.txt
if [ "${1:-}" = --list ]; then
    list=$(realpath "$2")
    shift 2
fi
pattern=${1:-.}
score_min=95
seconds_max=120 # of one test: a mutant that hangs is found
work=$PWD/build/mutate
tree=$work/tree
build=$work/build
mkdir -p "$tree"
exec 9>"$work/lock"
flock -n 9 || { echo "mutate: another run uses $work" >&2; exit 1; }

fail() {
    echo "mutate: $1" >&2
    exit 1
}

# ---- the list, as one file each ----
rm -rf "$work/mutants"
mkdir -p "$work/mutants"
awk -v folder="$work/mutants" -v pattern="$pattern" '
    function finish() {
        if (name != "" && fields != 4) { printf "%s: file, tests, old and new are needed\n", name; bad = 1 }
    }
    /^== / { finish(); name = substr($0, 4); fields = 0; out = name ~ pattern ? folder "/" name : "/dev/null"
             if (seen[name]++) { printf "%s: duplicate name\n", name; bad = 1 }
             if (out != "/dev/null") { print name >(folder "/.order") } next }
    /^(file|tests|old|new): / { fields++; key = $1; sub(/:$/, "", key); print substr($0, length($1) + 2) >(out "." key)
                                close(out "." key); next }
    /^#/ || /^$/ { next }
    { printf "line %d is not understood: %s\n", NR, $0; bad = 1 }
    END { finish(); exit bad }' "$list" >"$work/list.err" || fail "$(cat "$work/list.err")"
[ -s "$work/mutants/.order" ] || fail "no mutant is named like '$pattern'"

# The source as it stands, committed or not. What differs gets a new time and is built again, as does the file of a mutant
# that an interrupted run left.
[ ! -s "$work/mutated" ] || rm -f "$tree/$(cat "$work/mutated")"
git ls-files | while read -r file; do
    if [ -f "$file" ] && ! cmp -s "$file" "$tree/$file"; then
        mkdir -p "$tree/$(dirname "$file")"
        cp "$file" "$tree/$file" # with a new time
        chmod --reference="$file" "$tree/$file"
    fi
done

# replace FILE OLD NEW: text for text, exactly once
replace() {
    awk -v old_file="$2" -v new_file="$3" '
        BEGIN { getline old <old_file; getline new <new_file }
        { at = index($0, old)
          if (at) { count++; if (index(substr($0, at + 1), old)) { count++ }
                    $0 = substr($0, 1, at - 1) new substr($0, at + length(old)) }
          print }
        END { if (count != 1) { exit 3 } }' "$1"
}

# All of the list must still fit the source before anything is built.
status=0
while read -r name; do
    mutant=$work/mutants/$name
    file=$(cat "$mutant.file")
    [ -f "$file" ] || { echo "mutate: $name: there is no $file" >&2; status=1; continue; }
    replace "$file" "$mutant.old" "$mutant.new" >"$mutant.source" ||
        { echo "mutate: $name: the old text is not there exactly once in $file: $(cat "$mutant.old")" >&2; status=1; }
    ! cmp -s "$file" "$mutant.source" || { echo "mutate: $name changes nothing" >&2; status=1; }
done <"$work/mutants/.order"
[ "$status" -eq 0 ] || fail "the list does not fit the source"

# ---- building and running ----
launcher=
! command -v ccache >/dev/null || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -DNDEBUG" $launcher >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; fail "cannot configure"; }

# targets GROUP...: what the groups need
targets() {
    for group in "$@"; do
        echo "test_$group"
        case $group in
        cli* | export | forged* | output | live | fault_*) echo cairn ;;
        esac
    done | sort -u
}

# try GROUP...: 0 all pass, 1 some fail, 2 it does not build; what was said is in try.log
try() {
    # shellcheck disable=SC2046 # words on purpose
    cmake --build "$build" -j "${JOBS:-2}" --target $(targets "$@") >"$work/try.log" 2>&1 || return 2
    regex=$(echo "$*" | tr ' ' '|')
    (cd "$build" && ctest -j "${JOBS:-2}" -R "^($regex)\\." -LE '^long$' --timeout "$seconds_max" --stop-on-failure) \
        >"$work/try.log" 2>&1 || return 1
}

start=$(date +%s)
groups=$(while read -r name; do cat "$work/mutants/$name.tests"; done <"$work/mutants/.order" | tr ' ' '\n' | sort -u | tr '\n' ' ')
echo "building and testing without a mutant: $groups"
# shellcheck disable=SC2086 # words on purpose
try $groups || { tail -n 30 "$work/try.log"; fail "the tests must pass without a mutant"; }

killed=0
survived=
count=0
while read -r name; do
    mutant=$work/mutants/$name
    file=$(cat "$mutant.file")
    count=$((count + 1))
    echo "$file" >"$work/mutated"
    cp "$mutant.source" "$tree/$file"
    code=0
    # shellcheck disable=SC2046 # words on purpose
    try $(cat "$mutant.tests") </dev/null || code=$?
    cp "$file" "$tree/$file" # with a new time, so that it is built again
    rm "$work/mutated"
    case $code in
    0)
        survived="$survived $name"
        printf '%3d  SURVIVED  %s\n' "$count" "$name"
        ;;
    1)
        killed=$((killed + 1))
        printf '%3d  killed    %-32s by%s\n' "$count" "$name" \
            "$(sed -n 's/.*Test *#[0-9]*: \([^ ]*\) .*\(Failed\|Timeout\|Exception\|Subprocess\).*/ \1/p' "$work/try.log" | head -n 1)"
        ;;
    *)
        tail -n 20 "$work/try.log"
        fail "$name does not build"
        ;;
    esac
done <"$work/mutants/.order"

score=$((100 * killed / count))
echo "$killed of $count mutants killed in $((($(date +%s) - start) / 60)) minutes, score $score %"
for name in $survived; do
    echo "  survived: $name: $(cat "$work/mutants/$name.file")"
done
[ "$score" -ge "$score_min" ] || fail "the score is below $score_min %"
