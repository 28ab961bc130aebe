#!/bin/sh
# Every mutant of tools/mutants.txt still fits its file: the old text is in it exactly once.
#     mutants.sh SOURCE_DIR
set -eu
cd "$1"
awk '
function text_of(path,    line, all) {
    if (path in known) {
        return known[path]
    }
    all = ""
    while ((getline line <path) > 0) {
        all = all line "\n"
    }
    close(path)
    return known[path] = all
}
/^== / { name = substr($0, 4) }
/^file: / { path = substr($0, 7) }
/^old: / {
    old = substr($0, 6)
    all = text_of(path)
    at = index(all, old)
    if (!at || index(substr(all, at + 1), old)) {
        printf "tools/mutants.txt:%d: %s: its old text is %s in %s\n", FNR, name, at ? "more than once" : "not", path
        bad = 1
    }
}
END { exit bad }' tools/mutants.txt
