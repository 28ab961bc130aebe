#!/bin/sh
# Runs every libFuzzer target for some seconds, starting from its saved corpus.
#     tools/fuzz.sh SECONDS [TARGET...]
# Targets are tests/fuzz/fuzz_<name>.c with their corpus in tests/fuzz/corpus/<name>. What a run finds
# stays in build/fuzz/found/<name>; a crash is a file there, and the last lines of its log are shown.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
shift
if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        [ ! -e "$source" ] || set -- "$@" "$(basename "$source" .c)"
    done
fi
if [ $# -eq 0 ]; then
    echo "fuzz: no targets"
    exit 0
fi
tools/build.sh fuzz "$@"

# Runs one target and says how it went; fails when it found something.
fuzz() {
    target=$1
    name=${target#fuzz_}
    found=build/fuzz/found/$name
    mkdir -p "$found"
    program=$(find build/fuzz -name "$target" -type f | head -n 1)
    seeds=
    [ ! -d "tests/fuzz/corpus/$name" ] || seeds=tests/fuzz/corpus/$name
    log=$found.log
    # A single input may take 10 s and 2 GB at most.
    # shellcheck disable=SC2086 # seeds is a folder or nothing
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/crash-" \
        "$found" $seeds >"$log" 2>&1; then
        echo "fuzz: $name: $(grep '^Done' "$log" || tail -n 1 "$log")"
    else
        echo "fuzz: $name FAILED, the input is in $found; its log ends:"
        tail -n 40 "$log"
        return 1
    fi
}

# As many at a time as there are jobs; what each says is shown when all of them are through.
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
status=0
while [ $# -gt 0 ]; do
    running=
    while [ $# -gt 0 ] && [ "$(echo "$running" | wc -w)" -lt "${JOBS:-2}" ]; do
        fuzz "$1" >"$said/$1" &
        running="$running $!"
        shift
    done
    for one in $running; do
        wait "$one" || status=1
    done
    cat "$said"/*
    rm -f "$said"/*
done
exit $status
