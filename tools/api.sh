#!/bin/sh
# The C interface from the public headers.
#     tools/api.sh --page          prints docs/reference/c-api.md: every header with its functions
#     tools/api.sh --check         exit code 1 when that page is not what --page prints
#     tools/api.sh --html FOLDER   writes one HTML page per header, comments and declarations, and api.html
set -eu
cd "$(dirname "$0")/.."
headers="base outcome source sparse problem mcp ncp formulation solve eliminate system plugin shape body signal joint settings
model scene sim act query record check cairn"

# What a header is for: the first sentence of its comment.
purpose() {
    awk 'NR == 1 { next } !/^\/\/ ./ { exit } { sub(/^\/\/ ?/, ""); text = text (text == "" ? "" : " ") $0 }
        END { if (match(text, /[.:]( |$)/)) { text = substr(text, 1, RSTART - 1) } print text "." }' "$1"
}
functions_of() {
    awk '/^CN_API/ { open = 1; text = "" }
        open { text = text " " $0
            if (/\(/) { open = 0; sub(/\(.*/, "", text); n = split(text, word, /[ *]+/); print word[n] }
            else if (/;/) { open = 0 } }' "$1"
}

if [ "$1" = --check ]; then
    status=0
    for file in include/cairn/*.h; do
        case " $(echo $headers) " in *" $(basename "$file" .h) "*) ;; *) echo "tools/api.sh: add $file to its list"; status=1 ;; esac
    done
    tools/api.sh --page | cmp -s - docs/reference/c-api.md || {
        echo "docs/reference/c-api.md is not what the headers say: make docs, or tools/api.sh --page >docs/reference/c-api.md"
        status=1
    }
    exit $status
fi
if [ "$1" = --page ]; then
    cat <<'END'
# C interface

`#include <cairn/cairn.h>` has everything; each header may also be included alone. The headers are the reference: each
opens with what it is for, and every function has its contract above it. `make docs` writes them as HTML
(`build/docs/html/api.html`; installed in `share/doc/cairn/html`). Programs to start from:
[hello.c](../../examples/hello.c), [scene.c](../../examples/scene.c), [joints.c](../../examples/joints.c),
[interact.c](../../examples/interact.c), [solve_one.c](../../examples/solve_one.c),
[own_solver.c](../../examples/own_solver.c), [system_plugin.c](../../examples/system_plugin.c).

Functions that can fail return a `cn_status` (0 is success) and fill a `cn_error`. Memory comes from an arena or from
the object; what `_create` makes, `_destroy` frees. This page is written by `tools/api.sh --page`.
END
    for header in $headers; do
        file=include/cairn/$header.h
        printf '\n## %s.h\n\n' "$header"
        purpose "$file" | fold -s -w 118 | sed 's/ $//'
        functions=$(functions_of "$file" | sed 's/.*/`&`/' | paste -sd' ' - | sed 's/ /, /g')
        [ -z "$functions" ] || printf '\n%s\n' "$functions" | fold -s -w 118 | sed 's/ $//'
    done
    exit 0
fi

folder=$2
mkdir -p "$folder"
head() {
    printf '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>%s</title>\n' "$1"
    printf '<link rel="stylesheet" href="style.css"></head><body>\n'
}
escape='s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
{
    head "Cairn: C interface"
    echo "<h1>C interface</h1><table>"
    for header in $headers; do
        printf '<tr><td><a href="api-%s.html">%s.h</a></td><td>%s</td></tr>\n' "$header" "$header" \
            "$(purpose "include/cairn/$header.h" | sed "$escape")"
    done
    echo "</table><h2>All functions</h2><p>"
    for header in $headers; do
        functions_of "include/cairn/$header.h" | sed "s|.*|<a href=\"api-$header.html#&\">&</a>|"
    done | sort -t'#' -k2
    echo "</p></body></html>"
} >"$folder/api.html"
for header in $headers; do
    {
        head "$header.h"
        printf '<p><a href="api.html">C interface</a></p>\n<h1>%s.h</h1>\n' "$header"
        # Comments become paragraphs, code stays code; includes and guards are left out.
        sed "$escape" "include/cairn/$header.h" | awk '
            function close_block() { if (state == "code") { print "</pre>" } if (state == "text") { print "</p>" } state = "" }
            NR == 1 { next }
            /^#(ifndef|endif|if|ifdef|pragma|else|include)/ || /^(extern "C"|}$|#define CAIRN_[A-Z_]*_H)/ { if (!depth) { close_block(); next } }
            /^\/\/ ----/ { close_block(); sub(/^\/\/ -+ */, ""); sub(/ *-+$/, ""); print "<h2>" $0 "</h2>"; next }
            /^\/\// && !depth { if (state != "text") { close_block(); print "<p>"; state = "text" }
                sub(/^\/\/ ?/, ""); print /^    / ? "<code>" $0 "</code><br>" : $0; next }
            /^ *$/ && !depth { close_block(); next }
            {
                if (state != "code") { close_block(); print "<pre>"; state = "code" }
                if (/^CN_API/) { text = $0; if (text !~ /\(/) { anchor = 1 } }
                if (/^CN_API/ && match($0, /cn_[a-z0-9_]+\(/)) {
                    name = substr($0, RSTART, RLENGTH - 1)
                    sub(name "\\(", "<b id=\"" name "\">" name "</b>(")
                }
                print
                depth += gsub(/{/, "{") - gsub(/}/, "}")
            }
            END { close_block() }'
        echo "</body></html>"
    } >"$folder/api-$header.html"
done
