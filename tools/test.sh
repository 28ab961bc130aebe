#!/bin/sh
# Builds presets and runs their tests, all of them whatever fails, then says how each went: the end of what it
# prints has the names of the tests that failed, how their output ended, and the 20 slowest tests.
#     tools/test.sh [--long] PRESET...
# --long also runs the tests with the label "long", which take more than a few seconds each.
set -u
cd "$(dirname "$0")/.." || exit
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
status=0
slowest=20 # tests printed with their seconds at the end
without="-LE ^long$"
if [ "${1:-}" = --long ]; then
    without=
    shift
fi

# Runs a command, shows what it says and keeps it in a file; its exit code comes through a file too, since a pipe
# forgets it.
logged() {
    log=$1
    shift
    { "$@"; echo $? >"$log.status"; } 2>&1 | tee "$log"
    return "$(cat "$log.status")"
}

page_note=$(tools/browser.sh)
for preset in "$@"; do
    start=$(date +%s)
    mkdir -p "build/$preset"
    if ! logged "build/$preset/build.log" tools/build.sh "$preset"; then
        printf '  %-10s did not build\n' "$preset" >>"$summary"
        grep -E -A 2 '^FAILED|error:|undefined reference' "build/$preset/build.log" | cut -c 1-200 | head -n 20 |
            sed 's/^/      /' >>"$summary"
        status=1
        continue
    fi
    failed=0
    # shellcheck disable=SC2086 # two words or none on purpose
    logged "build/$preset/test.log" ctest --preset "$preset" -j "${JOBS:-2}" $without || failed=$?
    [ "$failed" -eq 0 ] || status=1
    awk -v preset="$preset" -v seconds=$(($(date +%s) - start)) -v failed="$failed" -v most=20 '
        function told(k,    i) { # a test that failed, with the last lines that it wrote
            text = text "    " name[k] "\n"
            for (i = lines > most ? lines - most + 1 : 1; i <= lines; i++) { text = text "      " line[i] "\n" }
        }
        / +[0-9.]+ sec/ && /Test +#[0-9]+:/ {
            if (open) { told(bad); open = 0 }
            if ($0 ~ /\*\*\*Skipped/) { skipped++ } else if ($0 ~ / Passed /) { passed++ } else {
                name[++bad] = $0
                sub(/.*#[0-9]+: /, "", name[bad])
                gsub(/ \.\.+|  +/, " ", name[bad])
                open = 1
                lines = 0
            }
            next
        }
        open && (/^ +Start +[0-9]+: / || /^[0-9]+% tests passed/) { told(bad); open = 0 }
        open && NF { line[++lines] = substr($0, 1, 200) }
        END {
            printf "  %-10s %s: %d passed, %d failed, %d skipped, in %d s with the build\n%s",
                preset, failed == 0 ? "ok" : "FAILED", passed, bad, skipped, seconds, text
        }' "build/$preset/test.log" >>"$summary"
    echo "    the slowest tests [s]" >>"$summary"
    sed -n 's/.*Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec.*/\2 \1/p' "build/$preset/test.log" |
        sort -rn | head -n "$slowest" | awk '{ printf "    %8.2f  %s\n", $1, $2 }' >>"$summary"
done

echo
echo "summary"
cat "$summary"
[ -z "$page_note" ] || echo "  ($page_note)"
if [ -z "${CAIRN_CORPUS:-}" ]; then
    echo "  (CAIRN_CORPUS is not set: the tests on real problem files were skipped)"
fi
exit $status
