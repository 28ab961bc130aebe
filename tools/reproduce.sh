#!/bin/sh
# Runs every experiment, or those named, and prints one line for each: verdict, checks, CPU time.
#     tools/reproduce.sh [--quick] [ID...]
# Exit code 1 when an experiment fails or judges nothing. Reports go to build/reproduce (build/reproduce-quick with
# --quick). Full runs put their figures into docs/experiments.md. An interrupted run continues where it stopped.
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
all=$("$cairn" reproduce --json | sed -n 's/.*"experiment": *"\([^"]*\)".*/\1/p')
[ -n "$all" ] || { echo "tools/reproduce.sh: $cairn lists no experiments" >&2; exit 1; }
trap 'exit 130' INT TERM
mkdir -p "$folder"
summary=$folder/summary.csv
[ $# -eq 0 ] || summary=$folder/summary-some.csv
echo "experiment,verdict,checks,failed,steps,unsolved,cpu_s" >"$summary"

# A number of the experiment's JSON object, before its tables.
number() {
    sed -n 's/"table".*//; s/.*"'"$1"'": *\([-+.0-9e]*\).*/\1/p' "$2"
}

status=0
ids=${*:-$all}
for id in $ids; do
    json=$folder/$id.json
    code=0
    # shellcheck disable=SC2086 # without --quick there is no argument
    "$cairn" reproduce "$id" $quick --json -o "$folder/$id" >"$json" 2>"$folder/$id.log" || code=$?
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
    printf '"%s","%s",%s,%s,%s,%s,%s\n' "$id" "$verdict" "${judged:-0}" "${failed:-0}" "${steps:-0}" "${unsolved:-0}" \
        "${seconds:-0}" >>"$summary"
    if [ "$verdict" != passed ]; then
        status=1
        [ ! -f "$folder/$id/checks.csv" ] || grep 'NOT MET' "$folder/$id/checks.csv" | sed 's/^/         /'
        tail -n 5 "$folder/$id.log" | sed 's/^/         /'
    fi
done
if [ -z "$quick" ]; then
    tools/figures.sh "$folder" docs/experiments.md
fi
exit $status
