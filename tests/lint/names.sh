#!/bin/sh
# Tests the linters of names and words: exactly the lines marked "refuse" must be refused.
#     names.sh TOOLS
set -eu
tools=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/cairn" "$tree/src/base" "$tree/src/step"
cat >"$tree/include/cairn/base.h" <<'END'
typedef struct cn_thing cn_thing;
CN_API void cn_thing_create(cn_thing *thing);
END
cat >"$tree/src/base/thing.h" <<'END'
void base_thing_print(const cn_thing *thing);
void thing_print(const cn_thing *thing); // refuse
typedef struct cn_secret { // refuse
    int x;
} base_secret;
END
cat >"$tree/src/step/step.c" <<'END'
// The data race and the ball joint are usual terms, heavy-ball momentum too.
void cn_thing_create(cn_thing *thing) {
    helper(thing, "cn_text in a string");
    cn_helper(thing); // refuse
}
static void scene_thing_move(int x) { // refuse
}
static void body_of_thing(int x) {
}
END
cat >"$tree/src/step/words.c" <<'END'
// Sweeps that glide are fast. refuse
// Runs of 10 sweeps a step, packets of four. refuse
// The mixing index of a bed, at most 3.
static int launch; // refuse
static double light_of_a_body; // refuse
static int at_most, joint_ball;
double unfinite(void); // refuse
static const char said[] = "the run tells how it went"; // refuse
static const char fine[] = "a ball bounces, in a light colour";
END
cd "$tree"
wanted() { grep -n refuse "$@" /dev/null | cut -d: -f1,2 | LC_ALL=C sort -u; }
refused() { "$@" | cut -d: -f1,2 | LC_ALL=C sort -u; }
wanted src/base/thing.h src/step/step.c >wanted
refused "$tools/lint_names.sh" "$tree" >got
diff wanted got || { echo "names: wanted (<) and refused (>) differ"; exit 1; }
wanted src/step/words.c >wanted
refused "$tools/lint_words.sh" "$tree" >got
diff wanted got || { echo "words: wanted (<) and refused (>) differ"; exit 1; }

mkdir -p "$tree/docs"
cat >"$tree/docs/page.md" <<'END'
# A page
A run prints its report; `in place of` is code, [a link](in-place-of-balls.md) is a link.
It tells how it went. <!-- refuse -->
Sweeps with mixing. <!-- refuse -->
A ball bounces, two balls collide. <!-- refuse -->
```sh
echo the same bits
```
64 bytes a contact. <!-- refuse -->
Sand with a mixing index of one, a ball joint.
END
grep -n 'refuse -->' "$tree/docs/page.md" | sed 's|:.*||; s|^|docs/page.md:|' | LC_ALL=C sort -u >wanted
mv "$tree/src/step/words.c" words.c
refused "$tools/lint_words.sh" "$tree" >got
diff wanted got || { echo "words in pages: wanted (<) and refused (>) differ"; exit 1; }
echo "all marked lines refused, no other"
