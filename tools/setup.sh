#!/bin/sh
# Installs the Debian packages that a job needs, and says which; silent when all are there.
#
#     tools/setup.sh SET...        sets: build python test browser clang fuzz bench docs coverage debug neon avx512
#     tools/setup.sh --list SET...   only prints the packages
#
# Sets include the ones that they stand on. Packages marked with a '?' are optional: their absence is
# told and never fails. One marked @COMMAND is not wanted where that command is there from elsewhere.
# Needs root or sudo, and only when something is missing.
# shellcheck disable=SC2086 # lists of packages are words on purpose
set -euf

packages_of() {
    case $1 in
    build)
        echo gcc libc6-dev cmake ninja-build pkg-config
        echo liblapacke-dev libopenblas-dev libsuitesparse-dev
        echo libqhull-dev libmuparser-dev libsqlite3-dev libxxhash-dev libyaml-dev
        echo libcjson-dev zlib1g-dev libwebsockets-dev
        echo '?nodejs@node' '?npm@npm'
        ;;
    python) echo python3-dev python3-numpy python3-setuptools python3-wheel ;;
    browser) packages_of test && echo '?chromium@chromium' ;;
    test)
        packages_of build
        packages_of python
        echo libcmocka-dev libhdf5-dev python3-scipy python3-matplotlib python3-pytest python3-hypothesis python3-pip mypy
        ;;
    clang) packages_of test && echo clang clang-format clang-tidy ;;
    fuzz) packages_of test && echo clang libclang-rt-14-dev ;;
    bench) packages_of build && echo '?libsiconos-numerics-dev' '?libode-dev' '?libmujoco-dev' '?libbullet-dev' '?g++' ;;
    docs) echo mandoc ;;
    coverage) packages_of test && echo lcov ;;
    debug) packages_of build && echo gdb ;;
    neon) echo gcc libc6-dev '?gcc-aarch64-linux-gnu' '?libc6-dev-arm64-cross' '?qemu-user' ;;
    avx512) echo gcc libc6-dev '?bochs' '?bochsbios' '?vgabios' '?bochs-term' ;;
    *)
        echo "setup: no set named '$1'; sets: build python test browser clang fuzz bench docs coverage debug neon avx512" >&2
        return 2
        ;;
    esac
}

list_only=no
if [ "${1:-}" = --list ]; then
    list_only=yes
    shift
fi
wanted=
for set_name in "${@:-build}"; do
    wanted="$wanted $(packages_of "$set_name")"
done
wanted=$(printf '%s\n' $wanted | awk '!seen[$0]++')
if [ $list_only = yes ]; then
    printf '%s\n' $wanted | sed 's/@.*//'
    exit 0
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: not a Debian system; what is needed, by its Debian names:" $(printf '%s\n' $wanted | sed 's/@.*//') >&2
    exit 0
fi

is_installed() {
    case $1 in *@*) command -v "${1#*@}" >/dev/null 2>&1 && return ;; esac
    [ "$(dpkg-query -W -f '${db:Status-Status}' "${1%@*}" 2>/dev/null)" = installed ]
}

bare() { echo "${1%@*}"; }

missing=
optional=
for name in $wanted; do
    case $name in
    \?*) is_installed "${name#?}" || optional="$optional $(bare "${name#?}")" ;;
    *) is_installed "$name" || missing="$missing $(bare "$name")" ;;
    esac
done
[ -n "$missing$optional" ] || exit 0

# Root installs directly; others through sudo; who can do neither is told what to ask for.
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
elif [ -z "$missing" ]; then
    echo "setup: left out (optional, needs root):$optional" >&2
    exit 0
else
    echo "setup: these packages are missing and installing them needs root or sudo:$missing" >&2
    echo "setup: ask an administrator for: apt-get install --no-install-recommends$missing" >&2
    exit 1
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
        -o Dpkg::Use-Pty=0 "$@"
}
# The packager is chatty; its words are shown only when it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    echo "setup: installing$1"
    apt install --yes --no-install-recommends $1 >"$log" 2>&1
}

echo "setup: reading the package lists"
apt update >"$log" 2>&1 || cat "$log" >&2
if [ -n "$missing" ] && ! install "$missing"; then
    cat "$log" >&2
    echo "setup: could not install:$missing" >&2
    exit 1
fi
for name in $optional; do
    install " $name" || echo "setup: $name (optional) is not to be had here; going on without it"
done
