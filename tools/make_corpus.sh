#!/bin/sh
# Makes the one-step problems of corpus/ anew: small variants of gallery scenes, simulated to 1e-8, and the
# problems of chosen steps exported with their solutions.
#
#     tools/make_corpus.sh build/release/cairn [corpus]
#
# The same version of the program gives the same problems on every machine. A change of detection or of the
# integrator changes them: there is no need to renew the files then, problems are data.
set -eu
cairn=${1:?usage: tools/make_corpus.sh CAIRN [FOLDER]}
case $cairn in */*) cairn=$(cd "$(dirname "$cairn")" && pwd)/$(basename "$cairn") ;; esac
folder=$(mkdir -p "${2:-corpus}" && cd "${2:-corpus}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"

# name, gallery scene, end [s], steps to export, settings
make() {
    name=$1 scene=$2 until=$3 steps=$4
    shift 4
    "$cairn" run "$scene" --set=solver.tolerance=1e-8 "$@" --until="$until" -o "$name.run" --quiet
    for step in $steps; do
        "$cairn" export "$name.run" --to=fclib --steps="$step:$step" -o "$folder" --quiet
    done
}

make disks pile-2d 3 "80 150 600" --set=generate.0.packing.count=80
make overhang overhang 0.2 "100"
make spheres sphere-settling 8 "60 120 400" --set=generate.0.packing.count=40
make pyramid cannonball 0.4 "50 160" --set=generate.0.pyramid.base=3
make arch masonry-arch 0.1 "1 50" --set=generate.0.arch.wedges=15
make wall masonry-wall 1 "1 100" --set=generate.0.wall.courses=3 --set=generate.0.wall.bricks=2
make settlement chateau-gombert 3 "150 300" --set=generate.0.wall.courses=3 --set=generate.0.wall.bricks=2 \
    --set=generate.0.wall.size=[0.4,0.2,0.2] --set=contacts.0.friction=1.5
make tower tower 1 "1 100" --set=generate.0.column.count=8
make dominoes dominoes 2 "1000" --set=generate.0.grid.count=[12,1,1]
