#!/bin/sh
# Executes every command of the tutorial, or of other pages of the docs.
#     tools/tutorial.sh CAIRN [PAGE...]           runs all blocks ```sh of the pages in order, in a temporary home
#     tools/tutorial.sh --update CAIRN [PAGE...]  the same; puts their output, pictures and times into the pages
# CAIRN is the command of the build tree. A block
#     <!-- output of the block above -->
#     ```text ... ```
#     <!-- end of output -->
# holds what the block before it prints; "<!-- time -->...<!-- end of time -->" holds how long the page takes.
# "make demo" and "make test" are only looked up here (make -n); continuous integration runs them in a fresh clone. Of
# "cairn reproduce" only the name of the experiment is looked up, and "cairn view SCENE" is stopped after a second.
set -eu
update=no
if [ "$1" = --update ]; then
    update=yes
    shift
fi
cairn=$(realpath "$1")
shift
source=$(realpath "$(dirname "$0")/..")
[ $# -gt 0 ] || set -- "$source/docs/tutorial/README.md" "$source"/docs/tutorial/[1-9]*.md
if [ "$(dirname "$cairn")" != "$source/build/release" ]; then
    echo "the tutorial uses build/release, which is not what is tested here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/out"
export work source
# The commands of a page as one script, which leaves the output of each block in $work/out/PAGE.N.
script_of() {
    awk -v name="$2" '
        /^```sh$/ { open = 1; n++; print "{"; next }
        open && /^```$/ { open = 0; printf "} >\"$work/out/%s.%d\" 2>&1\n", name, n; next }
        open && /^make (demo|test)( |$)/ { sub(/^make /, "make -n -C \"$source\" ") }
        open && /^cairn reproduce E[0-9]/ { print "cairn reproduce --json | grep -q \"\\\"" $3 "\\\"\""; next }
        open && /^cairn view [a-z0-9-]+( |$)/ { print "code=0; timeout -s INT 1 cairn view " $3 " || code=$?; [ $code -eq 124 ]"; next }
        open { print }' "$1"
}
{
    # The tutorial starts in the source tree; other pages have nothing to do there.
    case $1 in */tutorial/README.md) start=$source ;; *) start=$work/home ;; esac
    printf 'set -eu\ncd "%s"\nexport HOME="%s" CAIRN_THREADS=1 PATH="%s:$PATH"\n' "$start" "$work/home" "$(dirname "$cairn")"
    for page; do
        name=$(basename "$page" .md)
        printf 'page=%s start=$(date +%%s.%%N)\n' "$name"
        script_of "$page" "$name"
        printf 'echo "$start $(date +%%s.%%N)" >"$work/out/%s.time"\n' "$name"
    done
} >"$work/script"
if ! sh "$work/script" >"$work/log" 2>&1; then
    last=$(find "$work/out" -type f -newer "$work/script" -exec ls -t {} + | head -n 1)
    cat "$work/log"
    echo "the commands of $(basename "${last:-?}") failed; they print:"
    [ -z "$last" ] || tail -n 20 "$last"
    exit 1
fi
[ $update = yes ] || exit 0
commit=$(git -C "$source" rev-parse --short HEAD)
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
for page; do
    name=$(basename "$page" .md)
    seconds=$(awk '{ s = $2 - $1; printf s < 10 ? "%.1f" : "%.0f", s }' "$work/out/$name.time")
    awk -v out="$work/out/$name" -v seconds="$seconds" -v machine="$machine" -v commit="$commit" '
        /^```sh$/ { n++ }
        /^<!-- output of the block above -->$/ {
            print; print "```text"
            while ((getline line <(out "." n)) > 0) { print line }
            print "```"; skip = 1; next
        }
        /^<!-- end of output -->$/ { skip = 0 }
        /^<!-- time -->/ { print "<!-- time -->All commands of this page take " seconds " s (" machine ", " commit ").<!-- end of time -->"; next }
        !skip { print }' "$page" >"$work/page"
    cmp -s "$work/page" "$page" || { cat "$work/page" >"$page"; echo "$page: updated"; }
done
for picture in "$source"/docs/pictures/tutorial/*.svg; do
    new=$(find "$work/home" -name "$(basename "$picture")" | head -n 1)
    [ -z "$new" ] || cmp -s "$new" "$picture" || { cp "$new" "$picture"; echo "$picture: updated"; }
done
