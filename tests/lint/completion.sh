#!/bin/bash
# The completion offers, after each option, the words that the option takes.
#     tests/lint/completion.sh SOURCE CAIRN
set -u
source=$1
cairn=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
touch a.run b.yaml c.hdf5 d.png
compopt() { :; } # outside of a completion it fails
. "$source/tools/completion/cairn.bash"

bad=0
# offers "words typed so far" "what must be offered" "what must not"
offers() {
    read -ra COMP_WORDS <<<"$1"
    COMP_WORDS[0]=$cairn
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _cairn "$cairn"
    local got=" ${COMPREPLY[*]} " word
    for word in $2; do
        [[ $got == *" $word "* ]] || { echo "'$1' does not offer $word:$got"; bad=1; }
    done
    for word in ${3-}; do
        [[ $got != *" $word "* ]] || { echo "'$1' offers $word:$got"; bad=1; }
    done
}

offers 'cairn re' 'render resume reproduce'
offers 'cairn run ' 'b.yaml dominoes' 'a.run c.hdf5'
offers 'cairn run dom' 'dominoes'
offers 'cairn resume ' 'a.run' 'b.yaml c.hdf5 dominoes'
offers 'cairn solve ' 'c.hdf5' 'a.run b.yaml'
offers 'cairn check ' 'a.run c.hdf5' 'b.yaml'
offers 'cairn view ' 'a.run b.yaml dominoes' 'c.hdf5'
offers 'cairn run b.yaml --so' '--solver='
offers 'cairn run b.yaml --solver = ns' 'nsgs'
offers 'cairn run b.yaml --solver ' 'auto nsgs newton-ac' 'all b.yaml murty'
offers 'cairn solve c.hdf5 -s ' 'all auto nsgs'
offers 'cairn solve c.hdf5 --local ' 'hybrid newton' 'nsgs'
offers 'cairn solve c.hdf5 --set nsgs.re' 'nsgs.relaxation='
offers 'cairn solve c.hdf5 --measure ' 'scaled q max' 'c.hdf5'
offers 'cairn solve c.hdf5 --tol ' '' 'c.hdf5 a.run'
offers 'cairn run b.yaml --set solver.' 'solver.tolerance='
offers 'cairn export a.run --to ' 'html pvd gltf csv fclib' 'a.run'
offers 'cairn render a.run --theme ' 'light dark'
offers 'cairn render a.run -o ' 'd.png' 'a.run b.yaml'
offers 'cairn render a.run --forces ' 'a.run' # takes no value
offers 'cairn new x.yaml --variant ' '3d 2d joints packing wall'
offers 'cairn gallery ' 'dominoes' 'a.run'
offers 'cairn help ' 'run solve'
exit $bad
