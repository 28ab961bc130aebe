#!/bin/sh
# The documents as they are installed: Markdown, pictures, examples, and all of it as HTML with the C interface.
#     tools/docs_tree.sh FOLDER     empties FOLDER and writes FOLDER/README.md, FOLDER/docs, FOLDER/html, ...
# Links to files that are not installed, as those of the source, become their text.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$source"
for page in README.md CHANGELOG.md CONTRIBUTING.md corpus/README.md $(find docs -name '*.md'); do
    mkdir -p "$folder/$(dirname "$page")"
    LC_ALL=C awk -v page="$page" '
        # Where a link of this page leads, from the top of the tree.
        function resolved(url,    part, n, i, out, k) {
            sub(/#.*/, "", url)
            n = split((page ~ /\// ? substr(page, 1, match(page, /[^\/]*$/) - 1) : "") url, part, "/")
            k = 0
            for (i = 1; i <= n; i++) {
                if (part[i] == "..") { k-- } else if (part[i] != "" && part[i] != ".") { out[++k] = part[i] }
            }
            url = out[1]
            for (i = 2; i <= k; i++) { url = url "/" out[i] }
            return url
        }
        /^ *```/ { code = !code }
        !code {
            done = ""
            while (match($0, /\[[^]]*\]\([^):# ]+[^):]*\)/)) {
                link = substr($0, RSTART, RLENGTH)
                before = substr($0, 1, RSTART - 1)
                $0 = substr($0, RSTART + RLENGTH)
                text = link; sub(/^\[/, "", text); sub(/\]\(.*/, "", text)
                url = link; sub(/^.*\]\(/, "", url); sub(/\)$/, "", url)
                path = resolved(url)
                done = done before (path ~ /^(docs|examples)(\/|$)|^(LICENSE|CITATION.cff)$|^([a-z]+\/)?[A-Z]+\.md$/ ? link : text)
            }
            $0 = done $0
        }
        { print }' "$page" >"$folder/$page"
done
cp -r docs/pictures docs/man "$folder/docs/"
cp -r examples LICENSE CITATION.cff "$folder/"
tools/html.sh "$folder" "$folder/html"
