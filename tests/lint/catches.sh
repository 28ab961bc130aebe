#!/bin/sh
# Tests the linter: in tests/lint/bad exactly the lines marked "refuse: RULE" must be refused, for that
# rule. Lengths and folders are tried on files written here: the longest allowed and one line more, 31 files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
lint=$here/../../tools/lint_rooms.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cp -r "$here/bad/." "$tree"

# function_of NAME LINES: a function of that many lines, braces included
function_of() {
    awk -v name="$1" -v lines="$2" 'BEGIN {
        print "void " name "(int a,\n    int b) {"
        for (i = 4; i <= lines; i++) { print "    a = \"{{\"[" i "];" }
        print "}"
    }'
}
{
    echo '#ifdef __cplusplus'
    echo 'extern "C" {'
    echo '#endif'
    echo 'static const int scene_table_of[] = {'
    awk 'BEGIN { for (i = 0; i < 100; i++) { print "    1," } }'
    echo '};'
    function_of cn_fits 80
    echo '// refuse: size, by the next line'
    function_of cn_long 81
} >"$tree/src/solve/long.c"
awk 'BEGIN { for (i = 0; i < 800; i++) { print "" } }' >"$tree/src/solve/fits.h"
awk 'BEGIN { for (i = 0; i < 800; i++) { print "" } print "// refuse: size" }' >"$tree/src/solve/tall.h"
mkdir "$tree/src/solve/many"
for i in $(seq 10 40); do
    echo "// file $i" >"$tree/src/solve/many/$i.c"
done
echo '// refuse: size, the 31st file' >"$tree/src/solve/many/40.c"

cd "$tree"
# The mark in long.c stands on the line before the function.
grep -rn 'refuse: [a-z]' . | awk -F: '{
    line = $2 + ($0 ~ /by the next line/)
    match($0, /refuse: [a-z]+/)
    rule = substr($0, RSTART + 8, RLENGTH - 8)
    if ($0 !~ /that says/) { print substr($1, 3) ":" line " " rule }
}' | LC_ALL=C sort >"$tree/wanted"
if "$lint" "$tree" >"$tree/output"; then
    echo "the linter passed a tree full of faults"
    exit 1
fi
sed 's/^\([^:]*:[0-9]*\):.*\[\([a-z]*\)\]$/\1 \2/' "$tree/output" | LC_ALL=C sort >"$tree/got"
if ! diff "$tree/wanted" "$tree/got"; then
    echo "the linter's findings (>) are not the marked lines (<)"
    exit 1
fi
echo "$(wc -l <"$tree/wanted") faults, all caught, nothing else refused"
