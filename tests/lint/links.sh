#!/bin/sh
# tools/lint_links.sh finds what leads nowhere, in documents and in comments, and nothing else.
#     links.sh SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/docs" "$work/src/step"
printf '## 2. There\n[a](there.md) [b](absent.md#x) [c](https://example.org/absent.md)\n' >"$work/docs/there.md"
printf '<h2 id="yes"></h2><a href="#yes">a</a><a href="page.html#no">b</a><img src="absent.png">\n' >"$work/docs/page.html"
cat >"$work/src/step/a.c" <<'END'
// docs/there.md and src/step/a.c are there, docs/absent.md is not.
// docs/there.md, section 2, is there; docs/there.md, section 3, is not.
// As METHOD section 4 says.
END
cat >"$work/wanted" <<'END'
./docs/page.html: no such file: absent.png
./docs/page.html: no such heading: page.html#no
./docs/there.md: no such file: absent.md
src/step/a.c:1: no such file: docs/absent.md
src/step/a.c:2: docs/there.md has no section 3
src/step/a.c:3:METHOD section 4: refers to a page that is not here
END
if "$1/tools/lint_links.sh" "$work" >"$work/got"; then
    echo "exit code 0 in spite of broken links"
    exit 1
fi
LC_ALL=C sort "$work/got" | diff "$work/wanted" -
