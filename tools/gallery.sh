#!/bin/sh
# Runs scenes of the gallery; writes their sizes and times to scenes/gallery.csv, their pictures to docs/pictures/gallery,
# and docs/gallery.md from both.
#     tools/gallery.sh CAIRN [NAME...]   runs these scenes
#     tools/gallery.sh CAIRN --all       runs all of them (some ten minutes)
#     tools/gallery.sh --pictures CAIRN [NAME...]   their pictures alone
#     tools/gallery.sh --page            writes the page alone
#     tools/gallery.sh --check           exit code 1 when a scene has no row, or the page is not that of the table
# A row is NAME,TOPIC,UNTIL,BODIES,CPU_S,COMMIT; a new scene gets one by hand: NAME,TOPIC,,,, with one of the topics at
# the head of the table. `cairn gallery` prints the same table.
# UNTIL, where given, is the time [s] to which it is run here.
set -eu
cd "$(dirname "$0")/.."
table=scenes/gallery.csv
pictures=docs/pictures/gallery
page=docs/gallery.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

write_page() {
    commit=$(awk -F, 'NR > 1 { print $6 }' $table | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
    machine=$(sed -n 's/^# machine: //p' $table)
    echo "# Gallery"
    echo
    echo "All scenes that come with Cairn. \`cairn gallery NAME\` says more about one, \`cairn view NAME\` shows it live. The time is"
    echo "that of \`cairn run\` on one core ($machine, $commit)."
    echo "This page is written by \`tools/gallery.sh\`."
    for topic in $(sed -n 's/^# topic: \([a-z]*\),.*/\1/p' $table); do
        title=$(sed -n "s/^# topic: $topic, //p" $table)
        printf '\n## %s\n\n| | scene | command | size, time |\n|---|---|---|---|\n' "$title"
        awk -F, -v topic=$topic '!/^#/ && NR > 1 && $2 == topic' $table | while IFS=, read -r name _ until bodies cpu _; do
            sentence=$(awk -v name="$name" '
                NR == 1 { sub("^# " name ": ", ""); sub(/^# /, ""); text = $0; next }
                /^# ?$/ || !/^#/ { exit }
                text !~ /[.]$/ { sub(/^# /, ""); text = text " " $0 }
                END { print text }' "scenes/$name.yaml")
            picture=""
            [ ! -e "$pictures/$name.svg" ] || picture="<img src=\"pictures/gallery/$name.svg\" width=\"240\" alt=\"$name\">"
            [ ! -e "$pictures/$name.png" ] || picture="<img src=\"pictures/gallery/$name.png\" width=\"240\" alt=\"$name\">"
            command="cairn run $name${until:+ --until $until}"
            printf '| %s | %s | `%s` | %s bodies, %s s |\n' "$picture" "$sentence" "$command" "$bodies" "$cpu"
        done
    done
}

case ${1:-} in
--page)
    write_page >"$work/page"
    cat "$work/page" >$page
    exit 0
    ;;
--check)
    status=0
    for scene in scenes/*.yaml; do
        name=$(basename "$scene" .yaml)
        grep -q "^$name,[a-z]" $table || { echo "$table: no row for $name; see tools/gallery.sh"; status=1; }
    done
    for name in $(awk -F, '!/^#/ && NR > 1 { print $1 }' $table); do
        [ -e "scenes/$name.yaml" ] || { echo "$table: no scene $name"; status=1; }
    done
    for file in "$pictures"/*.svg; do
        grep -qE '<(polyline|polygon|path|circle|ellipse|use)' "$file" || { echo "$file: nothing is drawn"; status=1; }
    done
    write_page >"$work/page"
    cmp -s "$work/page" $page || { echo "$page: not what tools/gallery.sh --page writes"; status=1; }
    exit $status
    ;;
esac

# Coordinates over time, for systems without bodies: plot NAME RUN
plot() {
    "$cairn" export "$2" --to csv -o "$work/csv" >/dev/null
    # Rows of the time and the first three coordinates.
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i ~ /^[qx][0-9]+$/ && n < 3) { at[++n] = i } } next }
        { row = $2; for (i = 1; i <= n; i++) { row = row " " $at[i] } print row }' "$work/csv/frames.csv" | awk -v name="$1" '
        { for (i = 2; i <= NF; i++) { v[i, NR] = $i
              if (NR == 1 || $i < low[i]) { low[i] = $i } if (NR == 1 || $i > high[i]) { high[i] = $i } } t[NR] = $1 }
        END {
            split("- #2166ac #b2182b #1b7837", colour, " ")
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 330\" width=\"640\" height=\"330\" role=\"img\">\n"
            printf "<title>%s</title>\n<rect width=\"640\" height=\"330\" fill=\"#f4f6f8\"/>\n", name
            printf "<g font-family=\"sans-serif\" font-size=\"13\" fill=\"#46505c\">\n"
            printf "<text x=\"20\" y=\"24\">%s: coordinates over time, 0 to %g s, each scaled to its range</text>\n", name, t[NR]
            every = int(NR / 600) + 1
            for (i = 2; i <= 4; i++) {
                if (!(high[i] > low[i])) { continue }
                lines++
                printf "<text x=\"%d\" y=\"318\" font-size=\"12\" fill=\"%s\">coordinate %d: %.3g to %.3g</text>\n", 20 + 195 * (i - 2), colour[i], i - 1, low[i], high[i]
                printf "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"%s\" points=\"", colour[i]
                for (k = 1; k <= NR; k += every) {
                    printf "%.1f,%.1f ", 20 + 600 * k / NR, 290 - 250 * (v[i, k] - low[i]) / (high[i] - low[i])
                }
                print "\"/>"
            }
            print "</g>\n</svg>"
            if (!lines) { print "gallery: the plot of " name " is empty" >"/dev/stderr"; exit 1 }
        }' >"$work/plot.svg" || exit 1
    cp "$work/plot.svg" "$pictures/$1.svg"
}

# The picture of a scene from its run: picture NAME RUN TIME BODIES
picture() {
    rm -f "$pictures/$1.png"
    if grep -qE '^(system|first_order|control):' "scenes/$1.yaml" && ! grep -q '^bodies:' "scenes/$1.yaml"; then
        plot "$1" "$2"
        return 0
    fi
    forces=
    moment="--at $3"
    [ "$4" -lt 15 ] || [ "$4" -gt 900 ] || forces=--forces
    [ "$4" -gt 6 ] || moment="--strip 4" # of a few bodies the motion is what there is to see
    # shellcheck disable=SC2086
    "$cairn" render "$2" -q $moment $forces -o "$work/$1.svg"
    sed -E 's/([0-9]+\.[0-9])[0-9]+/\1/g' "$work/$1.svg" >"$pictures/$1.svg" # a tenth of a pixel is enough
    # Drawings of many bodies are larger than their pixels.
    if [ "$(wc -c <"$pictures/$1.svg")" -gt 120000 ] && command -v chromium >/dev/null; then
        size=$(sed -nE '1s/.*width="([0-9]+)" height="([0-9]+)".*/\1,\2/p' "$pictures/$1.svg")
        chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/chromium" --hide-scrollbars \
            --force-device-scale-factor=0.5 --window-size="$size" --screenshot="$PWD/$pictures/$1.png" \
            "file://$PWD/$pictures/$1.svg" 2>/dev/null && rm "$pictures/$1.svg"
    fi
}

only_pictures=no
if [ "${1:-}" = --pictures ]; then
    only_pictures=yes
    shift
fi
cairn=$(realpath "$1")
shift
[ "${1:-}" != --all ] || set -- $(awk -F, '!/^#/ && NR > 1 { print $1 }' $table)
commit=$(git rev-parse --short HEAD)
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
for name; do
    until=$(awk -F, -v name="$name" '$1 == name { print $3 }' $table)
    (cd "$work" && CAIRN_SCENES=$OLDPWD/scenes "$cairn" run "$name" ${until:+--until "$until"} -f --json -o "$name.run" >"$name.json" || [ $? -eq 3 ])
    bodies=$(grep -oE '"bodies":[0-9]+' "$work/$name.json" | sed 's/.*://')
    cpu=$(grep -oE '"cpu_s":[0-9.e-]+' "$work/$name.json" | sed 's/.*://' | awk '{ printf "%.2g", $1 }')
    # A third on the way shows more than the end, where most things rest.
    at=$(grep -oE '"t_end":[0-9.e-]+' "$work/$name.json" | sed 's/.*://' | awk '{ print 0.3 * $1 }')
    mkdir -p $pictures
    picture "$name" "$work/$name.run" "$at" "$bodies"
    rm -f "$work/$name.run"
    [ $only_pictures = no ] || { echo "$name: drawn"; continue; }
    awk -F, -v OFS=, -v name="$name" -v bodies="$bodies" -v cpu="$cpu" -v commit="$commit" -v machine="$machine" '
        /^# machine/ { print "# machine: " machine; next }
        $1 == name { $4 = bodies; $5 = cpu; $6 = commit } { print }' $table >"$work/table"
    cat "$work/table" >$table
    echo "$name: $bodies bodies, $cpu s"
done
write_page >"$work/page"
cat "$work/page" >$page
