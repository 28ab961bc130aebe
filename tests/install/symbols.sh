#!/bin/sh
# What libcairn.so exports is what the public headers declare with CN_API, no more and no less; so is what the
# static library defines for others; and the library has no writable globals.
#     symbols.sh SHARED STATIC INCLUDE_DIR
set -eu
shared=$1
static=$2
include=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$shared" | awk '{ print $NF }' | LC_ALL=C sort >"$work/exported"
# A declaration may span lines; its name is the first cn_ word before an opening parenthesis.
cat "$include"/cairn/*.h | sed 's|//.*||' | awk '
    /^CN_API/ { text = ""; open = 1 }
    open { text = text " " $0 }
    open && /\(/ {
        match(text, /cn_[a-z0-9_]+ *\(/)
        name = substr(text, RSTART, RLENGTH)
        gsub(/[ (]/, "", name)
        print name
        open = 0
    }' | LC_ALL=C sort >"$work/declared"
if ! diff "$work/declared" "$work/exported"; then
    echo "declared with CN_API (<) and exported by the shared library (>) differ"
    exit 1
fi

nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$work/defined"
if ! diff "$work/declared" "$work/defined"; then
    echo "declared with CN_API (<) and global in the static library (>) differ"
    exit 1
fi

if objdump -t "$static" | awk '$0 ~ / O / && $0 ~ /[ \t]\.(data|bss)(\.[A-Za-z]|[ \t])/ && $0 !~ /\.data\.rel\.ro/' |
    grep .; then
    echo "the library has writable globals (above)"
    exit 1
fi
echo "$(wc -l <"$work/exported") symbols exported, all declared; no writable globals"
