#!/bin/sh
# The manual page, docs/reference/options.md and the completion have every command and every option of the program.
#     manual.sh CAIRN SOURCE_DIR
set -eu
cairn=$1
source=$2
page=$source/docs/man/cairn.1
status=0
missing() {
    echo "$1"
    status=1
}

"$source/tools/options.sh" "$cairn" --check || status=1

# complete WORD... : what bash would offer for the last word
complete_words() {
    # compopt works only while bash completes; here it does nothing
    PATH=$(dirname "$cairn"):$PATH bash -c '
        . "$0"; compopt() { :; }
        COMP_WORDS=(cairn "$@") COMP_CWORD=$# && _cairn cairn && printf "%s\n" "${COMPREPLY[@]}"' \
        "$source/tools/completion/cairn.bash" "$@"
}
expect() {
    wanted=$1
    shift
    complete_words "$@" | grep -qx -- "$wanted" || missing "completing 'cairn $*' does not offer $wanted"
}
expect solve s
expect solvers s
expect nsgs solve --solver ns
expect nsgs solve --solver = ns
expect hybrid solve --local hy
expect scaled solve --measure s
expect --tol= solve --t

# The ledger's columns are a list of C; its description is by hand.
described=$(sed -n '/^## The ledger/,/^## Damaged/p' "$source/docs/reference/run-file.md")
for column in $(grep -oE 'X\([a-z_]+, [IRSO]\)' "$source/include/cairn/record.h" | sed 's/X(//; s/,.*//'); do
    echo "$described" | grep -qw -- "$column" || missing "docs/reference/run-file.md: the column $column of the ledger"
done
# Numbers of solvers in documents.
count=$("$cairn" solvers | sed -n '/^Friction problems/,/^$/p' | grep -c '^  [a-z]')
grep -rnoE '[0-9]+ (friction )?solvers' "$source/README.md" "$source/docs/guide" "$source/docs/tutorial" |
    grep -v ":$count " && missing "the command has $count solvers of friction problems"

# Every solver has its place in the reference.
for name in $("$cairn" solvers | awk '/^Local solvers/ { exit } /^  [a-z]/ { print $1 }' | sort -u); do
    grep -qw -- "$name" "$source/docs/reference/solvers.md" || missing "docs/reference/solvers.md: no $name"
done
for name in $("$cairn" solvers | sed -n '/^Local solvers/,/^$/p' | awk '/^  [a-z]/ { print $1 }'); do
    grep -q "\`$name\`" "$source/docs/reference/local-solvers.md" || missing "docs/reference/local-solvers.md: no $name"
done
exit $status
