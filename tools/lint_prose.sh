#!/bin/sh
# Checks the form of the documents: no line of prose above 120 columns, no table cell above 25 words.
#     tools/lint_prose.sh [FILE...]
# Code blocks are left out; links count by their text.
set -eu
if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/.."
    set -- README.md CHANGELOG.md CONTRIBUTING.md corpus/README.md $(find docs -name '*.md' ! -name options.md | LC_ALL=C sort)
fi
LC_ALL=C.UTF-8 awk '
    function complain(what) { print FILENAME ":" FNR ": " what; failed = 1 }
    FNR == 1 { code = 0 }
    /^ *```/ { code = !code; next }
    code || /^    / || /^<!-- / || /^!\[/ { next }
    /^\|/ {
        gsub(/\\\|/, "/")
        n = split($0, cell, "|")
        for (i = 1; i <= n; i++) {
            text = cell[i]
            gsub(/\]\([^)]*\)/, "]", text)
            gsub(/<[^>]*>/, " ", text)
            gsub(/`[^`]*`/, "code", text)
            words = split(text, word, " ")
            if (words > 25) { complain("a table cell of " words " words; at most 25") }
        }
        next
    }
    {
        line = $0
        gsub(/[\200-\277]/, "", line) # bytes that continue a character
        if (length(line) > 120) { complain("a line of " length(line) " columns; at most 120") }
    }
    END { exit failed }' "$@"
