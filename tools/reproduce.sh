#!/bin/sh
# Runs every experiment, or those named, and prints one line for each: verdict, checks, CPU time.
#     tools/reproduce.sh [--quick] [ID...]
#     tools/reproduce.sh --figures FOLDER COMMIT [ID...]   runs nothing; takes the results in FOLDER, made at COMMIT
# Exit code 1 when an experiment fails or judges nothing. Reports go to build/reproduce (build/reproduce-quick with
# --quick). Full runs put their figures, machine and commit into docs/figures/experiments, from where tools/figures.sh
# takes them into docs/design/experiments.md. An interrupted run continues where it stopped.
set -u
cd "$(dirname "$0")/.." || exit
cairn=build/release/cairn
quick=
folder=build/reproduce
if [ "${1:-}" = --quick ]; then
    quick=--quick
    folder=build/reproduce-quick
    shift
fi
commit=$(git rev-parse --short HEAD 2>/dev/null || echo none)
run=1
if [ "${1:-}" = --figures ]; then
    run=0
    folder=$2
    commit=$3
    shift 3
fi
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
all=$("$cairn" reproduce --json | sed -n 's/.*"experiment": *"\([^"]*\)".*/\1/p')
[ -n "$all" ] || { echo "tools/reproduce.sh: $cairn lists no experiments" >&2; exit 1; }
trap 'exit 130' INT TERM
mkdir -p "$folder"
page=docs/design/experiments.md
figures=docs/figures/experiments

# A number of the experiment's JSON object, before its tables.
number() {
    sed -n 's/"table".*//; s/.*"'"$1"'": *\([-+.0-9e]*\).*/\1/p' "$2"
}

# Takes the figures of experiment $1 that the page shows, and its row $2 of the summary, which is in the order of $all.
keep() {
    sed -n "s|^<!-- figures experiments/$1/\([^ ]*\) .*|\1|p" "$page" | sort -u | while read -r file; do
        mkdir -p "$figures/$1"
        cp "$folder/$1/$file" "$figures/$1/$file"
    done
    {
        echo "experiment,verdict,checks,failed,steps,unsolved,cpu_s,machine,commit"
        for other in $all; do
            if [ "$other" = "$1" ]; then echo "$2"; else grep "^\"$other\"," "$figures/summary.csv"; fi
        done
    } >"$folder/summary.csv"
    cp "$folder/summary.csv" "$figures/summary.csv"
}

status=0
ids=${*:-$all}
for id in $ids; do
    json=$folder/$id.json
    code=0
    # shellcheck disable=SC2086 # without --quick there is no argument
    [ $run -eq 0 ] || "$cairn" reproduce "$id" $quick --json -o "$folder/$id" >"$json" 2>"$folder/$id.log" || code=$?
    judged=$(number checks_judged "$json")
    failed=$(number checks_failed "$json")
    unsolved=$(number unsolved "$json")
    steps=$(number steps "$json")
    seconds=$(number cpu_s "$json")
    verdict=passed
    [ "${judged:-0}" -gt 0 ] || verdict="FAILED (judges nothing)"
    [ "$code" -eq 0 ] || verdict="FAILED ($code)"
    printf '  %-4s %-12s %3d checks, %d failed, %d steps unsolved, %8.1f s of CPU time\n' "$id" "$verdict" \
        "${judged:-0}" "${failed:-0}" "${unsolved:-0}" "${seconds:-0}"
    if [ -z "$quick" ] && [ "$verdict" = passed ]; then
        keep "$id" "\"$id\",\"$verdict\",$judged,$failed,$steps,$unsolved,$seconds,\"$machine\",\"\`$commit\`\""
    fi
    if [ "$verdict" != passed ]; then
        status=1
        [ ! -f "$folder/$id/checks.csv" ] || grep 'NOT MET' "$folder/$id/checks.csv" | sed 's/^/         /'
        tail -n 5 "$folder/$id.log" | sed 's/^/         /'
    fi
done
if [ -z "$quick" ]; then
    tools/figures.sh docs/figures "$page"
fi
exit $status
