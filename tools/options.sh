#!/bin/sh
# Every command with its options, from the tables that the program itself has (its --help).
#     tools/options.sh CAIRN --page   prints docs/reference/options.md
#     tools/options.sh CAIRN --man    prints the commands of docs/man/cairn.1
#     tools/options.sh CAIRN --update   writes both
#     tools/options.sh CAIRN --check    exit code 1 when one of them is not as --update writes it
set -eu
cairn=$(realpath "$1")
form=$2
cd "$(dirname "$0")/.."
if [ "$form" = --update ] || [ "$form" = --check ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    page=docs/reference/options.md
    manual=docs/man/cairn.1
    "tools/$(basename "$0")" "$cairn" --page >"$work/page"
    "tools/$(basename "$0")" "$cairn" --man >"$work/commands"
    awk -v commands="$work/commands" '
        !skip { print }
        /^\.\\" the commands, written by tools\/options.sh/ { skip = 1; while ((getline line <commands) > 0) { print line } }
        /^\.\\" end of the commands/ { skip = 0; print }' "$manual" >"$work/manual"
    if [ "$form" = --update ]; then
        cat "$work/page" >$page
        cat "$work/manual" >$manual
    else
        cmp -s "$work/page" $page && cmp -s "$work/manual" $manual || {
            echo "$page or $manual is not what the help texts say: tools/options.sh CAIRN --update, or make docs"
            exit 1
        }
    fi
    exit 0
fi
export ARGP_HELP_FMT=rmargin=2000,opt-doc-col=40,usage-indent=2
if [ "$form" = --page ]; then
    cat <<'END'
# Commands and options

Every command with all its options. [cli.md](cli.md) explains commands, exit codes and JSON.
All commands also take `--help` and `--usage`. `tools/options.sh` writes this page and the manual from the program.
END
fi
for command in $("$cairn" --help | awk '/^  [a-z]+ / { print $1 }'); do
    "$cairn" "$command" --help | LC_ALL=C awk -v form="$form" -v command="$command" '
        function escape(text) { # for mdoc
            gsub(/\\/, "\\e", text)
            gsub(/[.] /, ".\n", text) # a sentence per line
            return text ~ /^[.\x27]/ ? "\\&" text : text
        }
        function paragraph(text) { if (text == "") { return } print (form == "--man" ? ".Pp\n" escape(text) : text "\n") }
        function cell(text) { gsub(/\|/, "\\|", text); gsub(/\*/, "\\*", text); gsub(/</, "\\&lt;", text); return text }
        NR == 1 {
            sub(/^Usage: /, ""); sub(/ ?\[OPTION\.\.\.\]/, "")
            usage = $0; sub(/^cairn [a-z]+ ?/, "", usage)
            if (form == "--man") { print ".Ss cairn " command (usage == "" ? "" : " " escape(usage)) }
            else { printf "\n## cairn %s\n\n`%s`\n\n", command, $0 }
            next
        }
        /^ +or: / { next }
        /^Mandatory or optional arguments/ { after = 1; next }
        /^ +(-[a-zA-Z?], )?--[a-z]/ {
            line = $0; sub(/^ +/, "", line)
            option = line; sub(/  .*/, "", option)
            text = substr(line, length(option) + 1); sub(/^ +/, "", text)
            if (option ~ /--(help|usage)$/) { after = 1; next }
            letter = ""
            if (option ~ /^-[a-zA-Z], /) { letter = substr(option, 2, 1); sub(/^-., /, "", option) }
            sub(/^--/, "", option)
            value = ""
            if (index(option, "=")) { value = substr(option, index(option, "=") + 1); sub(/=.*/, "", option) }
            if (!options++) { print (form == "--man" ? ".Bl -tag -width Ds" : "| option | |\n|---|---|") }
            if (form == "--man") {
                print ".It Fl -" option (value == "" ? "" : " Ns = Ns Ar " escape(value)) (letter == "" ? "" : " , Fl " letter (value == "" ? "" : " Ar " escape(value)))
                print escape(text)
            } else {
                printf "| `--%s%s`%s | %s |\n", option, value == "" ? "" : "=" value, letter == "" ? "" : ", `-" letter "`", cell(text)
            }
            next
        }
        /^ *$/ { next }
        options || after { if (options) { print (form == "--man" ? ".El" : ""); options = 0 } if (form == "--man") { paragraph($0) } next }
        { if (form == "--man" ) { print escape($0) } else { print $0 "\n" } }
        END { if (options) { print (form == "--man" ? ".El" : "") } }' |
        awk 'length($0) > 118 && !/^[|.]/ {
            n = split($0, w, " "); line = w[1]
            for (i = 2; i <= n; i++) { if (length(line) + 1 + length(w[i]) > 118) { print line; line = w[i] } else { line = line " " w[i] } }
            print line; next } { print }'
done | cat -s
