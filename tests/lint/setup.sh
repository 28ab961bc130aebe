#!/bin/sh
# Tests tools/setup.sh on pretended machines: stubs stand for dpkg-query, id, sudo and apt-get, and what
# would be installed is written down.
#     setup.sh SOURCE_DIR
set -eu
setup=$1/tools/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# machine UID INSTALLED [sudo] [no-siconos]: a PATH with only stubs and a few real tools
machine() {
    uid=$1
    installed=$2
    shift 2
    rm -rf "${work:?}/bin" && mkdir "$work/bin"
    for tool in sh awk env mktemp rm cat; do
        ln -s "$(command -v "$tool")" "$work/bin/$tool"
    done
    stub id "echo $uid"
    stub dpkg-query "for name; do :; done; case ' $installed ' in *\" \$name \"*) printf installed ;; *) exit 1 ;; esac"
    stub apt-get "echo apt-get \"\$@\" >>$work/calls"
    for extra in "$@"; do
        case $extra in
        sudo) stub sudo "echo sudo >>$work/calls; exec \"\$@\"" ;;
        no-siconos) stub apt-get "echo apt-get \"\$@\" >>$work/calls
                                  case \"\$*\" in *siconos*) echo 'E: no such package'; exit 100 ;; esac" ;;
        esac
    done
}
stub() {
    rm -f "$work/bin/$1"
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# run SET...: fills code, output and calls
run() {
    : >"$work/calls"
    code=0
    output=$(PATH=$work/bin sh "$setup" "$@" 2>&1) || code=$?
    calls=$(cat "$work/calls")
}
# expect WHAT PATTERN TEXT
expect() {
    # shellcheck disable=SC2254 # a pattern on purpose
    case $3 in
    $2) ;;
    *)
        printf '%s: wanted "%s", got "%s"\n' "$1" "$2" "$3"
        status=1
        ;;
    esac
}

all=$(sh "$setup" --list build test clang fuzz docs coverage | tr -d '?' | tr '\n' ' ')

machine 0 "$all"
run test fuzz
expect "all there: code" 0 "$code"
expect "all there: silent" "" "$output"
expect "all there: nothing called" "" "$calls"

machine 0 "$(echo "$all" | sed 's/libqhull-dev //; s/ninja-build //')"
run test
expect "as root: code" 0 "$code"
expect "as root: says what" "*installing ninja-build libqhull-dev" "$output"
expect "as root: lists, then only what is missing" \
    "apt-get*update*apt-get*install*--no-install-recommends ninja-build libqhull-dev" "$calls"

machine 1000 "$(echo "$all" | sed 's/libqhull-dev //')" sudo
run build
expect "with sudo: code" 0 "$code"
expect "with sudo: through sudo" "sudo*update*sudo*install* libqhull-dev" "$calls"

machine 1000 "$(echo "$all" | sed 's/libqhull-dev //')"
run build
expect "neither root nor sudo: code" 1 "$code"
expect "neither root nor sudo: says so" "*needs root or sudo*libqhull-dev*" "$output"
expect "neither root nor sudo: nothing called" "" "$calls"

machine 0 "$all" no-siconos
run bench
expect "optional package missing: code" 0 "$code"
expect "optional package missing: a word" "*optional*" "$output"

machine 1000 "$all"
run bench
expect "optional package, no root: code" 0 "$code"

machine 0 "$(echo "$all" | sed 's/nodejs //; s/npm //')"
stub node "exit 0"
stub npm "exit 0"
run build
expect "a command from elsewhere: its package is not wanted" "" "$calls"

run kitchen
expect "unknown set: code" 2 "$code"
expect "unknown set: says so" "*no set named 'kitchen'*" "$output"
exit $status
