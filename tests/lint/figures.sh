#!/bin/sh
# tools/figures.sh writes tables from CSV files; its check finds blocks edited, out of date, left open or without start.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/E1"
printf 'check,paper,asked,ours,verdict\n"a ""b"", c","|","<= 1",0.123456789,"met"\n"shown","","",2,""\n' >"$work/E1/checks.csv"
printf 'name,big_number\n"x",12\n"y",13\n' >"$work/E1/table.csv"
cat >"$work/page.md" <<'PAGE'
before
<!-- figures E1/checks.csv check,paper,ours -->
<!-- end of figures 0 -->
<!-- figures E1/table.csv name=x,big_number -->
<!-- end of figures 0 -->
<!-- figures E2/table.csv -->
| kept |
<!-- end of figures 0 -->
after
PAGE
fail() {
    echo "tools/figures.sh: $1"
    cat "$work/page.md"
    exit 1
}
refused() { # what the check must find
    if tools/figures.sh --check "$work/bad.md" 2>"$work/said"; then
        fail "did not find $1"
    fi
    grep -q "$1" "$work/said" || fail "said '$(cat "$work/said")' instead of $1"
}

tools/figures.sh "$work" "$work/page.md" >/dev/null
for line in 'before' '| check | paper | ours |' '| a "b", c | \\| | 0.123 |' '| name | big number |' '| x | 12 |' '| kept |' 'after'; do
    grep -qxF "$(printf '%b' "$line")" "$work/page.md" || fail "no line $line"
done
! grep -q '| y |' "$work/page.md" || fail "a row that was not asked for"
! grep -q shown "$work/page.md" || fail "a check that is not judged"
tools/figures.sh --check "$work/page.md" || fail "refuses what it wrote"

sed 's/0\.123/0.122/' "$work/page.md" >"$work/bad.md"
refused 'changed by hand'
sed '$d' "$work/page.md" | sed '$d' >"$work/bad.md"
refused 'without end'
sed 1,2d "$work/page.md" >"$work/bad.md"
refused 'no start'
printf '<!-- figures accuracy.csv -->\n<!-- end of figures 0 -->\n' >"$work/bad.md"
printf 'name,number\n"x",1\n' >"$work/accuracy.csv"
tools/figures.sh "$work" "$work/bad.md" >/dev/null
refused 'not the figures of .*docs/figures/accuracy.csv'
tools/figures.sh docs/figures "$work/bad.md" >/dev/null
tools/figures.sh --check "$work/bad.md" || fail "refuses the figures of docs/figures"
echo nothing >"$work/bad.md"
refused 'no block'

# tools/lint_figures.sh finds tables of numbers without their source.
printf '| a | b | c |\n|---|---|---|\n| x | 1.5 | 2 |\n| y | 3 | 4e-5 |\n' >"$work/table"
said=$(tools/lint_figures.sh "$work/table") && fail "accepts a table without source"
echo "$said" | grep -q 'table:1: a table of numbers without its source' || fail "said '$said'"
command=$(sed -n 's/^# command: //p' docs/figures/accuracy.csv)
for mark in 'measured by hand: a stopwatch; this machine; abc1234' 'not measured'; do
    { echo "<!-- $mark -->"; cat "$work/table"; } >"$work/marked"
    tools/lint_figures.sh "$work/marked" || fail "refuses a table that is marked: $mark"
done
for mark in 'measured by hand: a stopwatch' "measured by hand: $command; this machine; abc1234"; do
    { echo "<!-- $mark -->"; cat "$work/table"; } >"$work/marked"
    ! tools/lint_figures.sh "$work/marked" >"$work/said" || fail "accepts $mark"
done
printf '# command: a\n# from: `a`, a machine, abc\nname,number\n"x",0.12345678\n' >"$work/E1/from.csv"
printf '<!-- figures E1/from.csv -->\n<!-- end of figures 0 -->\n' >"$work/page.md"
tools/figures.sh "$work" "$work/page.md" >/dev/null
grep -qx 'From `a`, a machine, abc.' "$work/page.md" || fail "does not say where figures come from"
grep -qx '| x | 0.123 |' "$work/page.md" || fail "no row"
