#!/bin/sh
# Builds presets and runs their tests, all of them whatever fails, then says how each went.
#     tools/test.sh PRESET...
set -u
cd "$(dirname "$0")/.." || exit
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
status=0

for preset in "$@"; do
    start=$(date +%s)
    log=build/$preset/test.log
    if ! tools/build.sh "$preset"; then
        printf '  %-10s did not build\n' "$preset" >>"$summary"
        status=1
        continue
    fi
    # ctest's own exit code comes through a file, since a pipe forgets it.
    { ctest --preset "$preset" -j "${JOBS:-2}"; echo $? >"$log.status"; } 2>&1 | tee "$log"
    failed=$(cat "$log.status")
    [ "$failed" -eq 0 ] || status=1
    awk -v preset="$preset" -v seconds=$(($(date +%s) - start)) -v failed="$failed" '
        / +[0-9.]+ sec/ && /Test +#[0-9]+:/ {
            run++
            if ($0 ~ /\*\*\*Skipped/) { skipped++ } else if ($0 ~ / Passed /) { passed++ } else { bad++ }
        }
        END {
            printf "  %-10s %s: %d passed, %d failed, %d skipped, in %d s with the build\n",
                preset, failed == 0 ? "ok" : "FAILED", passed, bad, skipped, seconds
        }' "$log" >>"$summary"
done

echo
echo "summary"
cat "$summary"
if [ -z "${CAIRN_CORPUS:-}" ]; then
    echo "  (CAIRN_CORPUS is not set: the tests on real problem files were skipped)"
fi
exit $status
