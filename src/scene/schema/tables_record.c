// scene/schema/tables_record.c
// What a run records every step beside the ledger.
#include "scene/scene.h"

#include <math.h>

#define ONE_OF .flags = SCENE_VARIANT

static const scene_field record_fields[] = {
    SCENE_KEY("position", text, scene_record_entry, position, ONE_OF,
              .help = "a body: where its point is [m], the columns NAME.x, NAME.y, NAME.z"),
    SCENE_KEY("velocity", text, scene_record_entry, velocity, ONE_OF,
              .help = "a body: the velocity of its point [m/s]"),
    SCENE_KEY("opening", names, scene_record_entry, opening, ONE_OF, .count = 2,
              .help = "two bodies: their points, which are one at the start, apart [m]"),
    SCENE_KEY("force_on", names, scene_record_entry, force_on, ONE_OF,
              .help = "bodies: the sum of what contacts give them [N], mean over the step; a name "
                      "may end in *"),
    SCENE_KEY("joint", text, scene_record_entry, joint, ONE_OF,
              .help = "a joint by its name: NAME.value, .rate, .effort, .force, .torque"),
    SCENE_KEY("name", text, scene_record_entry, name, .flags = SCENE_REQUIRED,
              .help = "of the columns"),
    SCENE_KEY("from", names, scene_record_entry, from,
              .help = "with force_on: only what these bodies give"),
    SCENE_KEY("point", vector, scene_record_entry, point, .unit = "m",
              .help =
                  "at the start, in the world; by default the centre of mass of the first body"),
};

static void record_initial(void *out, int32_t dim) {
    (void)dim;
    scene_record_entry *entry = out;
    entry->point[0] = entry->point[1] = entry->point[2] = NAN;
}

static cn_status record_check(scene_reader *reader, io_yaml *node, void *out) {
    const scene_record_entry *entry = out;
    const io_yaml *from = io_yaml_key(node, "from"), *point = io_yaml_key(node, "point");
    bool force = entry->force_on.count > 0;
    if (from && !force) {
        return scene_fail_node(reader, from, CN_ERR_INPUT, "\"from\" is for force_on");
    }
    if (point && (force || entry->joint)) {
        return scene_fail_node(reader, point, CN_ERR_INPUT,
                               "\"point\" is for position, velocity and opening");
    }
    return CN_OK;
}

const scene_table_of scene_record_table = {
    .name = "record",
    .help = "Columns of a run: exactly one of position, velocity, opening, force_on and joint.",
    .field = record_fields,
    .count = SCENE_COUNT(record_fields),
    .size = sizeof(scene_record_entry),
    .initial = record_initial,
    .variant = offsetof(scene_record_entry, which),
    .check = record_check,
};
