#!/bin/sh
# Kills a run with SIGKILL at random moments. Each time every committed frame must be readable and have its
# right hash, and the resumed run must end in the state of one that nobody killed.
#     tests/kill_resume.sh CAIRN [ROUNDS [SEED]]
set -eu
cairn=$(realpath "$1") # it is run from another folder
rounds=${2:-5}
seed=${3:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >heap.yaml <<'SCENE'
cairn: 1
time: {step: 0.002, until: 3, frames_every: 0.01, checkpoint_every: 0.1}
solver: {tolerance: 1.0e-4}
materials: {stone: {density: 2500}}
contacts: [{between: [stone, stone], friction: 0.3}]
bodies:
  - name: box
    fixed: true
    material: stone
    shape:
      - {plane: {normal: [0, 0, 1], offset: 0}}
      - {plane: {normal: [1, 0, 0], offset: -3}}
      - {plane: {normal: [-1, 0, 0], offset: -3}}
      - {plane: {normal: [0, 1, 0], offset: -3}}
      - {plane: {normal: [0, -1, 0], offset: -3}}
generate:
  - packing: {count: 16, radius: [0.9, 1], inside: [[-3, -3, 0], [3, 3, 12]], material: stone}
SCENE

hash_of() {
    sed -n 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/p'
}
fail() {
    echo "round $round, killed after $delay s: $1"
    exit 1
}

# The state to end in, and how long the run takes.
start=$(date +%s%N)
reference=$("$cairn" run heap.yaml -o whole.run --json | hash_of)
duration=$((($(date +%s%N) - start) / 1000))
[ -n "$reference" ] || { echo "the reference run gave no state"; exit 1; }

early=0
ended=0
resumed=0
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    delay=$(awk -v seed="$seed" -v round="$round" -v us="$duration" \
        'BEGIN { srand(seed * 100003 + round); printf "%.4f", rand() * us / 1e6 }')
    rm -f cut.run cut.run-wal cut.run-shm
    "$cairn" run heap.yaml -o cut.run -q &
    child=$!
    sleep "$delay"
    kill -9 $child 2>/dev/null || true
    if wait $child 2>/dev/null; then
        ended=$((ended + 1)) # it was faster
    fi
    # Killed before the first commit: there is no file or no table in it, and both commands say so.
    if ! "$cairn" info cut.run --json >info.json 2>info.err; then
        grep -qE 'cannot open|is empty|no such table' info.err || fail "not readable: $(cat info.err)"
        "$cairn" resume cut.run -q 2>resume.err && fail "resume takes what info refuses"
        early=$((early + 1))
        continue
    fi
    code=0
    "$cairn" check cut.run --json >check.json 2>check.err || code=$?
    # All that was committed is right; what is missing is the end of the run, and nothing else.
    [ $code -eq 0 ] || [ $code -eq 3 ] || fail "check ended with $code: $(cat check.json check.err)"
    grep -q '"within":true,' check.json || fail "a committed row is not what was written: $(cat check.json)"
    [ $code -eq 0 ] || grep -q '"incomplete":"the run was not ended: its status is running"' check.json ||
        fail "check misses more than the end of the run: $(cat check.json)"
    code=0
    "$cairn" resume cut.run --json >resume.json 2>resume.err || code=$?
    [ $code -eq 0 ] || fail "resume ended with $code: $(cat resume.err)"
    got=$(hash_of <resume.json)
    [ "$got" = "$reference" ] || fail "resumed to the state $got, not $reference"
    "$cairn" check cut.run -q || fail "the resumed run does not pass its check"
    resumed=$((resumed + 1))
done
echo "$rounds rounds: $resumed resumed to the right state ($ended had ended by themselves), $early killed before the first commit"
[ "$resumed" -gt 0 ] || { echo "no run was resumed at all"; exit 1; }
