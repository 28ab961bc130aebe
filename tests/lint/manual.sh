#!/bin/sh
# The manual page and the completion know every command and every option that the program itself tells.
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

commands=$("$cairn" --help | awk '/^  [a-z]+ / { print $1 }')
[ -n "$commands" ] || missing "cairn --help lists no commands"
for command in $commands; do
    grep -qE "^\.Ss cairn $command( |\$)" "$page" || missing "no section 'cairn $command' in the manual page"
    for option in $("$cairn" "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
        case $option in --help | --usage) continue ;; esac
        # The section of the command, up to the next one.
        awk -v from="cairn $command" '/^\.S[sh]/ { on = index($0 " ", ".Ss " from " ") == 1 } on' "$page" |
            grep -q -- "Fl -${option#--}" || missing "cairn $command: $option is not in the manual page"
    done
done

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
described=$(sed -n '/^## The ledger/,/^## Damaged/p' "$source/docs/run-file.md")
for column in $(grep -oE 'X\([a-z_]+, [IRSO]\)' "$source/include/cairn/record.h" | sed 's/X(//; s/,.*//'); do
    echo "$described" | grep -qw -- "$column" || missing "docs/run-file.md: the column $column of the ledger"
done
exit $status
