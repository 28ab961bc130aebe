// scene/starter.c
// The texts for a beginning: the first scenes of "cairn new", and the JSON Schema that the tables
// give. A first scene is short enough to be read at once; what it leaves out has its default.
#include "base/arena.h"
#include "base/error.h"
#include "scene/kinds.h"
#include "scene/scene.h"
#include "scene/walk.h"

#define STARTER_HEAD(about, dimension, gravity)                                                    \
    "# " about "\n"                                                                                \
    "# Lengths in m, masses in kg, times in s, angles in rad or as \"30 deg\".\n"                  \
    "cairn: 1\n"                                                                                   \
    "dimension: " dimension "\n"                                                                   \
    "gravity: " gravity "                   # [m/s2]\n"                                            \
    "time: {step: 1.0e-3, until: 3, frames_every: 0.02}\n"

static const cn_starter starters[] = {
    {"3d", "a tower of three blocks, and a ball that comes flying",
     STARTER_HEAD("A first scene: a tower of three blocks, and a ball that comes flying.", "3",
                  "[0, 0, -9.81]") "materials:\n"
                                   "  stone: {density: 2500}                 # [kg/m3]; masses "
                                   "come from density and shape\n"
                                   "contacts:                                # between two "
                                   "materials; \"*\" is any\n"
                                   "  - {between: [\"*\", \"*\"], friction: 0.5, restitution: 0}\n"
                                   "bodies:\n"
                                   "  - name: ground\n"
                                   "    fixed: true\n"
                                   "    material: stone\n"
                                   "    shape: {plane: {normal: [0, 0, 1]}}  # free is the side "
                                   "that the normal points to\n"
                                   "  - name: ball\n"
                                   "    material: stone\n"
                                   "    position: [-3, 0, 1.5]\n"
                                   "    velocity: [8, 0, 2]\n"
                                   "    shape: {sphere: {radius: 0.3}}\n"
                                   "generate:                                # bodies by a rule; "
                                   "position is that of the foot\n"
                                   "  - column: {count: 3, material: stone, shape: {box: {size: "
                                   "[1, 1, 1]}}}\n"},
    {"2d", "a ramp, a box that slides and a disk that rolls",
     STARTER_HEAD(
         "A first scene in 2D: a ramp, a box that slides and a disk that rolls.", "2",
         "[0, -9.81]   ") "materials:\n"
                          "  wood: {density: 700}                   # [kg/m2] in 2D\n"
                          "contacts:                                # between two materials; \"*\" "
                          "is any\n"
                          "  - {between: [\"*\", \"*\"], friction: 0.3, restitution: 0}\n"
                          "bodies:\n"
                          "  - name: ramp                           # rises to the left by 30 deg\n"
                          "    fixed: true\n"
                          "    material: wood\n"
                          "    shape: {line: {normal: [0.5, 0.8660254037844386]}}\n"
                          "  - name: box\n"
                          "    material: wood\n"
                          "    position: [0.05, 0.08660254037844386]\n"
                          "    angle: \"-30 deg\"\n"
                          "    shape: {box: {size: [0.4, 0.2]}}     # full edge lengths\n"
                          "  - name: disk\n"
                          "    material: wood\n"
                          "    position: [1.05, -0.4330127018922193]\n"
                          "    shape: {disk: {radius: 0.15}}\n"},
    {"joints", "a double pendulum with a motor in its second joint",
     STARTER_HEAD("A first mechanism: a double pendulum with a motor in its second joint.", "3",
                  "[0, 0, -9.81]") "materials:\n"
                                   "  steel: {density: 7800}                 # [kg/m3]; masses "
                                   "come from density and shape\n"
                                   "bodies:\n"
                                   "  - {name: frame, fixed: true, material: steel, shape: {box: "
                                   "{size: [0.2, 0.2, 0.2]}}}\n"
                                   "  - name: upper\n"
                                   "    material: steel\n"
                                   "    position: [0.5, 0, 0]\n"
                                   "    shape: {box: {size: [1, 0.05, 0.05]}}\n"
                                   "  - name: lower\n"
                                   "    material: steel\n"
                                   "    position: [1.5, 0, 0]\n"
                                   "    shape: {box: {size: [1, 0.05, 0.05]}}\n"
                                   "joints:                                  # bodies of a joint "
                                   "do not touch each other\n"
                                   "  - {name: shoulder, kind: hinge, bodies: [frame, upper], "
                                   "point: [0, 0, 0], axis: [0, 1, 0]}\n"
                                   "  - {name: elbow, kind: hinge, bodies: [upper, lower], point: "
                                   "[1, 0, 0], axis: [0, 1, 0],\n"
                                   "     limits: [\"-90 deg\", \"90 deg\"], motor: {velocity: 2, "
                                   "max_torque: 60}}\n"},
    {"packing", "spheres poured into a box without a lid",
     STARTER_HEAD(
         "A first packing: spheres poured into a box without a lid.", "3",
         "[0, 0, -9.81]") "solver: {tolerance: 1.0e-3}              # of a step's residual: enough "
                          "for grains\n"
                          "materials:\n"
                          "  glass: {density: 2500}                 # [kg/m3]\n"
                          "contacts:                                # between two materials; \"*\" "
                          "is any\n"
                          "  - {between: [\"*\", \"*\"], friction: 0.3, restitution: 0.2}\n"
                          "bodies:\n"
                          "  - name: box                            # a floor and four walls\n"
                          "    fixed: true\n"
                          "    material: glass\n"
                          "    shape:\n"
                          "      - {box: {size: [1.2, 1.2, 0.1]}, position: [0, 0, -0.05]}\n"
                          "      - {box: {size: [0.1, 1.2, 1]}, position: [-0.55, 0, 0.5]}\n"
                          "      - {box: {size: [0.1, 1.2, 1]}, position: [0.55, 0, 0.5]}\n"
                          "      - {box: {size: [1, 0.1, 1]}, position: [0, -0.55, 0.5]}\n"
                          "      - {box: {size: [1, 0.1, 1]}, position: [0, 0.55, 0.5]}\n"
                          "generate:                                # another seed is another "
                          "packing\n"
                          "  - packing: {count: 200, radius: [0.05, 0.07], seed: 1, material: "
                          "glass,\n"
                          "              inside: [[-0.5, -0.5, 0], [0.5, 0.5, 1.5]]}\n"},
    {"wall", "a wall of bricks that a ball hits",
     STARTER_HEAD("A first wall: bricks in running bond, and a ball that hits them.", "3",
                  "[0, 0, -9.81]") "materials:\n"
                                   "  stone: {density: 2000}                 # [kg/m3]; masses "
                                   "come from density and shape\n"
                                   "contacts:                                # between two "
                                   "materials; \"*\" is any\n"
                                   "  - {between: [\"*\", \"*\"], friction: 0.6, restitution: 0}\n"
                                   "bodies:\n"
                                   "  - name: ground\n"
                                   "    fixed: true\n"
                                   "    material: stone\n"
                                   "    shape: {plane: {normal: [0, 0, 1]}}  # free is the side "
                                   "that the normal points to\n"
                                   "  - name: ball\n"
                                   "    material: stone\n"
                                   "    position: [0.1, -3, 0.8]\n"
                                   "    velocity: [0, 8, 2]\n"
                                   "    shape: {sphere: {radius: 0.2}}\n"
                                   "generate:                                # position is the "
                                   "middle of the foot\n"
                                   "  - wall: {bricks: 6, courses: 6, size: [0.4, 0.2, 0.2], "
                                   "material: stone}\n"},
};

const cn_starter *cn_scene_starter(int32_t index) {
    return index >= 0 && index < SCENE_COUNT(starters) ? &starters[index] : NULL;
}

cn_status cn_scene_schema(cn_arena *memory, const char **text) {
    if (!memory || !text) {
        return CN_ERR_ARGUMENT;
    }
    base_buffer out;
    base_buffer_init(&out, cn_arena_env(memory));
    *text = scene_schema_json(&scene_table, memory, &out)
                ? base_arena_text(memory, (const char *)out.data, out.size)
                : NULL;
    base_buffer_free(&out);
    return *text ? CN_OK : CN_ERR_MEMORY;
}
