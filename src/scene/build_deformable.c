// scene/build_deformable.c
// The definition of a deformable body from what was read.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

// Held nodes first, then driven ones, so that a displacement given for a held node counts.
static cn_status take_drives(scene_reader *reader, const scene_deformable_entry *entry,
                             cn_deformable_def *out) {
    int32_t holds = entry->holds.count, count = holds + entry->drives.count;
    cn_node_drive *drive = BASE_TAKE_ZERO(reader->memory, cn_node_drive, count);
    if (!drive) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        const scene_node_entry *from =
            i < holds ? (const scene_node_entry *)entry->holds.item + i
                      : (const scene_node_entry *)entry->drives.item + (i - holds);
        drive[i] = (cn_node_drive){.group = from->group,
                                   .axes = from->axes,
                                   .displacement = from->value,
                                   .source = scene_place(io_yaml_get(from->node, "group"))};
    }
    out->drives = drive;
    out->drive_count = count;
    return CN_OK;
}

static cn_status take_pressures(scene_reader *reader, const scene_deformable_entry *entry,
                                cn_deformable_def *out) {
    const scene_node_entry *from = entry->pressures.item;
    int32_t count = entry->pressures.count;
    cn_pressure_def *pressure = BASE_TAKE_ZERO(reader->memory, cn_pressure_def, count);
    if (!pressure) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        pressure[i] = (cn_pressure_def){.group = from[i].group,
                                        .value = from[i].value,
                                        .source = scene_place(io_yaml_get(from[i].node, "group"))};
    }
    out->pressures = pressure;
    out->pressure_count = count;
    return CN_OK;
}

cn_status scene_deformable_def(scene_reader *reader, const scene_deformable_entry *entry,
                               cn_deformable_def **out) {
    cn_deformable_def *def = BASE_TAKE_ZERO(reader->memory, cn_deformable_def, 1);
    if (!def) {
        return base_fail_memory(reader->error);
    }
    *def = (cn_deformable_def){.mesh = entry->mesh.def,
                               .strain = (cn_strain)entry->strain,
                               .plane = (cn_plane)entry->plane,
                               .candidates = (cn_candidates)entry->candidates,
                               .consistent_mass = entry->mass == 1,
                               .quasi_static = entry->quasi_static};
    *out = def;
    cn_status status = take_drives(reader, entry, def);
    return status == CN_OK ? take_pressures(reader, entry, def) : status;
}
