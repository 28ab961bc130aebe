# tools/html.awk: Markdown as the documents use it to HTML. One file in, its page out:
#     awk -v root=../ -f tools/html.awk page.md >page.html
# Headings (with the anchors that GitHub gives), paragraphs, lists of two levels, code, tables, pictures, links (to .md
# files: to their .html), emphasis, inline HTML. root: the path back to the top, where style.css is.
function escape(t) { gsub(/&/, "\\&amp;", t); gsub(/</, "\\&lt;", t); gsub(/>/, "\\&gt;", t); return t }
function target(t) { if (t !~ /^[a-z]+:/) { sub(/\.md$/, ".html", t); sub(/\.md#/, ".html#", t) } return t }
# Spans of code are set aside while the rest is formatted.
function inline(t,    out, a, b, n, code, i, text, url) {
    n = 0
    while (match(t, /`[^`]+`/)) {
        code[++n] = "<code>" escape(substr(t, RSTART + 1, RLENGTH - 2)) "</code>"
        t = substr(t, 1, RSTART - 1) "\001" n "\002" substr(t, RSTART + RLENGTH)
    }
    gsub(/\\\|/, "|", t)
    gsub(/\\\*/, "\003", t)
    gsub(/\\_/, "_", t)
    out = ""
    while (match(t, /!?\[[^]]*\]\([^)]*\)/)) {
        a = substr(t, 1, RSTART - 1)
        b = substr(t, RSTART, RLENGTH)
        t = substr(t, RSTART + RLENGTH)
        text = b; sub(/^!?\[/, "", text); sub(/\]\(.*/, "", text)
        url = b; sub(/^.*\]\(/, "", url); sub(/\)$/, "", url)
        out = out a (b ~ /^!/ ? "<img src=\"" url "\" alt=\"" text "\">" : "<a href=\"" target(url) "\">" text "</a>")
    }
    t = out t
    gsub(/ & /, " \\&amp; ", t)
    gsub(/ < /, " \\&lt; ", t)
    gsub(/ <= /, " \\&lt;= ", t)
    while (match(t, /\*\*[^*]+\*\*/)) {
        t = substr(t, 1, RSTART - 1) "<b>" substr(t, RSTART + 2, RLENGTH - 4) "</b>" substr(t, RSTART + RLENGTH)
    }
    while (match(t, /\*[^* ][^*]*\*/)) {
        t = substr(t, 1, RSTART - 1) "<i>" substr(t, RSTART + 1, RLENGTH - 2) "</i>" substr(t, RSTART + RLENGTH)
    }
    gsub(/\003/, "*", t)
    for (i = 1; i <= n; i++) {
        a = index(t, "\001" i "\002")
        t = substr(t, 1, a - 1) code[i] substr(t, a + length(i) + 2)
    }
    return t
}
function anchor(t) {
    t = tolower(t)
    gsub(/\]\([^)]*\)/, "", t)
    gsub(/[^a-z0-9 _\200-\377-]/, "", t)
    gsub(/ /, "-", t)
    if (seen[t]++) { t = t "-" (seen[t] - 1) }
    return t
}
function flush() {
    if (paragraph != "") { print (item ? "" : "<p>") inline(paragraph) (item ? "" : "</p>") }
    paragraph = ""
    item = 0
}
function lists(depth) { while (level > depth) { print "</" kind[level] ">"; level-- } }
function close_all() { flush(); lists(0); if (table) { print "</table>"; table = 0 } }
NR == 1 {
    title = $0
    if (title !~ /^#/) { title = "Cairn" }
    sub(/^# */, "", title); gsub(/`/, "", title)
    print "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
    print "<title>" escape(title) "</title><link rel=\"stylesheet\" href=\"" root "style.css\"></head><body>"
    print "<nav><a href=\"" root "README.html\">Cairn</a> · <a href=\"" root "docs/README.html\">Documents</a></nav>"
}
fence { if (/^ *```/) { print "</pre>"; fence = 0 } else { print escape($0) } next }
/^ *```/ { flush(); if (table) { print "</table>"; table = 0 } printf "<pre>"; fence = 1; next }
/^<!-- .*-->$/ && !/<!-- time -->./ { next }
/^#+ / {
    close_all()
    match($0, /^#+/); n = RLENGTH
    t = $0; sub(/^#+ */, "", t)
    printf "<h%d id=\"%s\">%s</h%d>\n", n, anchor(t), inline(t), n
    next
}
/^\|/ {
    if (!table) { flush(); lists(0); print "<table>"; table = 1; header = 1 }
    if (/^\|[-:| ]+\|$/) { next }
    t = $0; gsub(/\\\|/, "\004", t); sub(/^\| ?/, "", t); sub(/ ?\|$/, "", t)
    n = split(t, cell, / ?\| ?/)
    printf "<tr>"
    for (i = 1; i <= n; i++) { gsub(/\004/, "|", cell[i]); printf "<%s>%s</%s>", header ? "th" : "td", inline(cell[i]), header ? "th" : "td" }
    print "</tr>"
    header = 0
    next
}
/^ *$/ { flush(); if (table) { print "</table>"; table = 0 } blank = 1; next }
/^    / && !level && paragraph == "" { if (table) { print "</table>"; table = 0 } print "<pre class=\"line\">" escape(substr($0, 5)) "</pre>"; next }
/^ *([-*]|[0-9]+\.) +/ {
    flush()
    match($0, /^ */); depth = RLENGTH > 1 ? 2 : 1
    wanted = /^ *[0-9]/ ? "ol" : "ul"
    if (depth <= level) { lists(depth) }
    while (level < depth) { level++; kind[level] = wanted; print "<" wanted ">" }
    t = $0; sub(/^ *([-*]|[0-9]+\.) +/, "", t)
    printf "<li>"; paragraph = t; item = 1; blank = 0
    next
}
level && blank && !/^ / { flush(); lists(0) }
{ blank = 0; t = $0; sub(/^ +/, "", t); paragraph = paragraph (paragraph == "" ? "" : "\n") t }
END { close_all(); print "</body></html>" }
