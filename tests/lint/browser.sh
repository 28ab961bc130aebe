#!/bin/sh
# tools/browser.sh says what is missing for the tests in a browser, installs the packages of view/ and is silent then.
#     browser.sh SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/view" "$work/bin" "$work/empty"
cp "$1/tools/browser.sh" "$work/tools/"
cp "$1/view/package-lock.json" "$work/view/"
for tool in sh dirname touch mkdir; do
    ln -s "$(command -v "$tool")" "$work/bin/$tool"
    ln -s "$(command -v "$tool")" "$work/empty/$tool"
done
printf '#!/bin/sh\nexit 0\n' >"$work/bin/node"
printf '#!/bin/sh\necho "$*" >>%s/calls\nmkdir -p view/node_modules/playwright-core\n' "$work" >"$work/bin/npm"
cp "$work/bin/node" "$work/chromium"
chmod +x "$work/bin/node" "$work/bin/npm" "$work/chromium"
status=0
expect() { # WHAT GOT PATTERN
    case $2 in $3) ;; *) echo "$1: prints '$2' instead of '$3'"; status=1 ;; esac
}
expect "no node" "$(PATH=$work/empty CAIRN_BROWSERS=$work/chromium "$work/tools/browser.sh")" "*no node and npm; tools/setup.sh browser*"
expect "no chromium" "$(PATH=$work/bin CAIRN_BROWSERS= "$work/tools/browser.sh")" "*no chromium; tools/setup.sh browser*"
[ ! -e "$work/calls" ] || { echo "npm ran without a browser"; status=1; }
expect "all there" "$(PATH=$work/bin CAIRN_BROWSERS=$work/chromium "$work/tools/browser.sh")" ""
grep -q 'ci --ignore-scripts' "$work/calls" || { echo "the packages were not installed"; status=1; }
exit $status
