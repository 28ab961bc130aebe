#!/bin/sh
# Puts measured figures into pages of the docs, between markers.
#     tools/figures.sh FOLDER [PAGE...]   FOLDER: docs/figures; without PAGE all pages of docs that have such blocks
#     tools/figures.sh --check PAGE...    whether the blocks are as this script wrote them, from docs/figures where the
#                                         file is there; changes nothing
#     tools/figures.sh --measure NAME     runs the command of NAME.csv in docs/figures again and writes its rows, with commit
#                                         and machine (build/release/cairn; where times matter, on an idle machine)
# A block is
#     <!-- figures FILE [COLUMN,COLUMN=VALUE...] -->
#     a table made of the rows of FOLDER/FILE, a CSV file (of checks.csv those that are judged; COLUMN=VALUE: those alone)
#     <!-- end of figures CHECKSUM -->
# Lines of the CSV file that begin with "# from: " are printed under the table: command, machine and commit.
# Without FILE in the folder the block stays as it is.
set -eu
folder=$1
shift
check=0
if [ "$folder" = --check ]; then
    check=1
    folder=$(dirname "$0")/../docs/figures
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$folder" = --measure ]; then
    cd "$(dirname "$0")/.."
    file=docs/figures/$1.csv
    command=$(sed -n 's/^# command: //p' "$file")
    PATH=$PWD/build/release:$PATH CAIRN_SCENES=$PWD/scenes sh -c "$command" >"$work/rows"
    {
        echo "# command: $command"
        echo "# from: \`${command}\`, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(git rev-parse --short HEAD)"
        # Flat JSON objects, a line each, as CSV with the keys of the first.
        sed 's/^{//; s/}$//' "$work/rows" | awk '{
            head = row = ""
            while (match($0, /^,?"[a-z_0-9]+": *("[^"]*"|[^,]*)/)) {
                pair = substr($0, 1, RLENGTH); $0 = substr($0, RLENGTH + 1); sub(/^,/, "", pair)
                key = pair; sub(/^"/, "", key); sub(/":.*/, "", key); sub(/^"[^"]*": */, "", pair)
                head = head (head == "" ? "" : ",") key; row = row (row == "" ? "" : ",") pair
            }
            if (NR == 1) { print head }
            print row }'
    } >"$work/csv"
    [ "$(wc -l <"$work/csv")" -gt 3 ] || { echo "tools/figures.sh: '$command' printed no rows" >&2; exit 1; }
    cat "$work/csv" >"$file"
    echo "$file: updated; make docs puts it into the documents"
    exit 0
fi
if [ $# -eq 0 ]; then
    cd "$(dirname "$0")/.."
    # shellcheck disable=SC2046 # no page has a space in its name
    set -- $(grep -rl --include='*.md' '^<!-- figures ' docs | LC_ALL=C sort)
fi
status=0
for page; do
awk -v folder="$folder" -v check="$check" -v block="$work/block" -v page="$page" '
    # Fields of a CSV line into f; returns their number.
    function fields(line, f,    n, text) {
        n = 0
        while (line != "") {
            if (substr(line, 1, 1) == "\"") {
                line = substr(line, 2)
                text = ""
                while (match(line, /"/)) {
                    text = text substr(line, 1, RSTART - 1)
                    line = substr(line, RSTART + 1)
                    if (substr(line, 1, 1) != "\"") { break }
                    text = text "\""
                    line = substr(line, 2)
                }
                f[++n] = text
                sub(/^,/, "", line)
            } else {
                text = line
                sub(/,.*/, "", text)
                f[++n] = text
                line = substr(line, length(text) + 2)
            }
        }
        return n
    }
    # Numbers that would be long are rounded to three digits.
    function cell(text) {
        if (text ~ /^-?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?$/ && text !~ /^-?[0-9]+$/ && length(text) > 6) { text = sprintf("%.3g", text + 0) }
        gsub(/\|/, "\\|", text)
        return text
    }
    # The table of a file, into lines[1..]; returns how many, 0 when there is no file.
    function table(file, columns,    line, n, i, wanted, head, f, take, rule, text, count, verdict, only, value, from) {
        count = 0
        only = from = ""
        do {
            if ((getline line <file) <= 0) { return 0 }
            if (sub(/^# from: /, "", line)) { from = "From " line "." ; line = "#" }
        } while (line ~ /^#/)
        n = fields(line, head)
        wanted = columns == "" ? n : split(columns, take, ",")
        for (i = 1; i <= (columns == "" ? n : wanted); i++) {
            if (columns == "") {
                take[i] = head[i]
            } else if (take[i] ~ /=/) {
                only = value = take[i]
                sub(/=.*/, "", only)
                sub(/^[^=]*=/, "", value)
                take[i] = only
            }
        }
        text = rule = "|"
        for (i = 1; i <= n; i++) { at[head[i]] = i }
        verdict = file ~ /checks\.csv$/ ? at["verdict"] : 0
        for (i = 1; i <= wanted; i++) {
            if (!(take[i] in at)) { print page ": " file " has no column " take[i] >"/dev/stderr"; failed = 1; return 0 }
            line = take[i]
            gsub(/_/, " ", line)
            text = text " " line " |"
            rule = rule "---|"
        }
        lines[++count] = text
        lines[++count] = rule
        while ((getline line <file) > 0) {
            fields(line, f)
            if ((verdict && f[verdict] == "") || (only != "" && f[at[only]] != value)) { continue }
            text = "|"
            for (i = 1; i <= wanted; i++) { text = text " " cell(f[at[take[i]]]) " |" }
            lines[++count] = text
        }
        close(file)
        if (from != "") { lines[++count] = ""; lines[++count] = from }
        split("", at)
        return count
    }
    function checksum(count,    i, sum) {
        printf "" >block
        for (i = 1; i <= count; i++) { print lines[i] >block }
        close(block)
        sum = ""
        ("cksum <" block) | getline sum
        close("cksum <" block)
        sub(/ .*/, "", sum)
        return sum
    }
    /^<!-- figures [^ ]+( [^ ]+)? -->$/ {
        if (open) { print page ":" NR ": a block of figures in another" >"/dev/stderr"; failed = 1 }
        open = NR
        file = folder "/" $3
        columns = NF == 5 ? $4 : ""
        marker = $0
        kept = 0
        next
    }
    /^<!-- end of figures [0-9]+ -->$/ {
        if (!open) { print page ":" NR ": the end of a block that has no start" >"/dev/stderr"; failed = 1; next }
        if (check) {
            for (i = 1; i <= kept; i++) { lines[i] = old[i] }
            if (checksum(kept) != $5) {
                print page ":" open ": figures changed by hand; make docs writes them" >"/dev/stderr"
                failed = 1
            } else if ((count = table(file, columns)) && checksum(count) != $5) {
                print page ":" open ": not the figures of " file "; make docs writes them" >"/dev/stderr"
                failed = 1
            }
        } else {
            count = table(file, columns)
            if (count == 0) {
                for (i = 1; i <= kept; i++) { lines[i] = old[i] }
                count = kept
            }
            print marker
            for (i = 1; i <= count; i++) { print lines[i] }
            print "<!-- end of figures " checksum(count) " -->"
        }
        open = 0
        blocks++
        next
    }
    open { old[++kept] = $0; next }
    !check { print }
    END {
        if (open) { print page ":" open ": a block of figures without end" >"/dev/stderr"; failed = 1 }
        if (!blocks) { print page ": no block of figures" >"/dev/stderr"; failed = 1 }
        exit failed
    }' "$page" >"$work/page" || status=1
if [ "$check" -eq 0 ] && [ $status -eq 0 ] && ! cmp -s "$work/page" "$page"; then
    cat "$work/page" >"$page"
    echo "$page: figures updated"
fi
done
exit $status
