#!/bin/sh
# What users run is hardened: no library is loaded from the current folder, addresses are bound before the program
# starts and then read-only, stacks do not execute, programs are position independent, functions with arrays carry
# canaries and libc calls are checked.
#     hardening.sh CAIRN SHARED STATIC
set -u
cairn=$1
shared=$2
static=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() {
    echo "$1"
    status=1
}

for file in "$cairn" "$shared"; do
    name=$(basename "$file")
    readelf -W -d "$file" >"$work/dynamic"
    # Elements of RPATH and RUNPATH are absolute: an empty or relative one is the current folder.
    for path in $(sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p' "$work/dynamic"); do
        case :$path: in
        *:[!/]* | *::*) fail "$name: the library path '$path' includes the current folder" ;;
        esac
    done
    grep -q 'BIND_NOW\|FLAGS_1.*NOW' "$work/dynamic" || fail "$name: symbols are bound lazily (BIND_NOW is missing)"
    readelf -W -l "$file" >"$work/segments"
    grep -q GNU_RELRO "$work/segments" || fail "$name: relocations stay writable (GNU_RELRO is missing)"
    grep 'GNU_STACK' "$work/segments" | grep -q ' RW ' || fail "$name: the stack is executable"
    grep ' LOAD ' "$work/segments" | grep -q 'RWE' && fail "$name: a segment is writable and executable"
    readelf -W -h "$file" | grep -q 'Type: *DYN' || fail "$name: not position independent"
    readelf -W --dyn-syms "$file" >"$work/symbols"
    grep -q '__stack_chk_fail' "$work/symbols" || fail "$name: no stack protector"
    grep -q '__[a-z]*printf_chk' "$work/symbols" || fail "$name: libc calls are not checked (_FORTIFY_SOURCE)"
done

# A file of the name of each library in the current folder is not what is loaded.
mkdir "$work/here"
for library in $(readelf -W -d "$cairn" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    : >"$work/here/$library"
done
(cd "$work/here" && env -u LD_LIBRARY_PATH "$cairn" --version) >"$work/output" 2>&1 ||
    fail "the command loads libraries from the current folder: $(cat "$work/output")"

# Hot loops pay nothing: no kernel carries a canary.
mkdir "$work/objects"
(cd "$work/objects" && ar x "$static")
for object in "$work"/objects/*_plain.c.o "$work"/objects/*_avx2.c.o "$work"/objects/*_avx512.c.o; do
    [ -e "$object" ] || continue
    nm "$object" | grep -q '__stack_chk_fail' && fail "the kernel $(basename "$object") carries canaries"
done
[ $status -eq 0 ] && echo "hardened; libraries come from $(ldd "$cairn" | grep -c '=> /') absolute paths"
exit $status
