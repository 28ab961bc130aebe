#!/bin/sh
# Checks that measured figures in the docs come from a tool or say where they come from: blocks are as tools/figures.sh
# wrote them, and a table of numbers is in a block, or has above it
#     <!-- measured by hand: COMMAND; MACHINE; COMMIT -->
# with a command that is not in docs/figures, since those figures tools/figures.sh can write; or "<!-- not measured -->".
#     tools/lint_figures.sh [PAGE...]
set -eu
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046 # no page has a space in its name
    set -- README.md CHANGELOG.md $(find docs -name '*.md' ! -name gallery.md | LC_ALL=C sort)
fi
status=0
# shellcheck disable=SC2046
blocks=$(grep -l '^<!-- figures ' "$@" || true)
[ -z "$blocks" ] || tools/figures.sh --check $blocks || status=1
commands=$(cat docs/figures/*.csv 2>/dev/null | sed -n 's/^# command: //p')
LC_ALL=C awk -v commands="$commands" '
    # More than half of the cells beside the first column are numbers, in four lines or more (two of them the head).
    function end_of_table() {
        if (rows >= 4 && cells >= 4 && 2 * numbers > cells && !marked) {
            print file ":" start ": a table of numbers without its source: a block of figures, or <!-- measured by hand: ... -->"
            failed = 1
        }
        if (rows) { marked = 0 }
        rows = numbers = cells = 0
    }
    FNR == 1 { end_of_table(); file = FILENAME; block = code = marked = 0 }
    /^```/ { code = !code }
    /^<!-- figures / || /^<!-- the tables of / { block = 1 }
    /^<!-- end of / { block = 0 }
    /^<!-- measured by hand: / {
        if (!/; .*; [^ ]+ -->$/) { print FILENAME ":" FNR ": say command; machine; commit"; failed = 1 }
        text = $0; sub(/^<!-- measured by hand: /, "", text); sub(/;.*/, "", text)
        n = split(commands, known, "\n")
        for (i = 1; i <= n; i++) {
            if (known[i] == text) { print FILENAME ":" FNR ": tools/figures.sh measures this: " text; failed = 1 }
        }
        marked = 1
        next
    }
    /^<!-- not measured -->$/ { marked = 1; next } # counts that a definition gives
    /^\|/ && !code && !block {
        if (!rows) { start = FNR }
        if (++rows > 2) {
            n = split($0, cell, "|")
            for (i = 3; i < n; i++) {
                gsub(/[ *,()%`]|e-?[0-9]+/, "", cell[i])
                if (cell[i] != "") { cells++; numbers += cell[i] ~ /^[-+<>=~0-9.\/]+(s|ms|MB|ns|of[0-9]+)?$/ }
            }
        }
        next
    }
    { end_of_table() }
    END { end_of_table(); exit failed }' "$@" || status=1
exit $status
