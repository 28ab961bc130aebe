#!/bin/sh
# Makes the tests in a browser ready (the packages of view/), or prints one line that says why they will be skipped and
# what to install.
#     tools/browser.sh
# CAIRN_BROWSERS: paths to look at instead of the usual ones.
set -eu
cd "$(dirname "$0")/.."
found=
for path in ${CAIRN_BROWSERS-/usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome}; do
    [ ! -x "$path" ] || found=$path
done
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "the tests in a browser are skipped: no node and npm; tools/setup.sh browser installs them and chromium"
elif [ -z "$found" ]; then
    echo "the tests in a browser are skipped: no chromium; tools/setup.sh browser installs it"
elif [ ! -d view/node_modules/playwright-core ] || [ view/package-lock.json -nt view/node_modules/.package-lock.json ]; then
    npm --prefix view ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null ||
        echo "the tests in a browser are skipped: npm could not fetch their packages; npm --prefix view ci --ignore-scripts"
    touch -c view/node_modules/.package-lock.json
fi
