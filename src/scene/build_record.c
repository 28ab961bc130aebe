// scene/build_record.c
// What a scene records every step: names of bodies, which may end in *, become groups.
#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "scene/scene.h"

#include <string.h>

// Bodies that a name means: one, or all that begin as it does before its *.
static int32_t take_named(const cn_model *model, const char *name, cn_body_id *ids) {
    size_t length = strlen(name);
    int32_t count = 0;
    bool many = length > 0 && name[length - 1] == '*';
    if (!many) {
        cn_body_id id = cn_model_find_body(model, name);
        if (id && ids) {
            ids[0] = id;
        }
        return id ? 1 : 0;
    }
    for (int32_t i = 0; i < model->body_count; i++) {
        if (strncmp(model->body[i].name, name, length - 1) == 0) {
            if (ids) {
                ids[count] = i + 1;
            }
            count++;
        }
    }
    return count;
}

static cn_status find_group(scene_reader *reader, const cn_model *model, const scene_words *words,
                            const io_yaml *node, const cn_body_id **out, int32_t *count) {
    int64_t total = 0;
    for (int32_t i = 0; i < words->count; i++) {
        int32_t found = take_named(model, words->text[i], NULL);
        if (found == 0) {
            const io_yaml *at = node->kind == IO_YAML_LIST ? node->item[i] : node;
            return scene_fail_node(reader, at, CN_ERR_INPUT, "there is no body \"%.60s\"",
                                   words->text[i]);
        }
        total += found;
    }
    cn_body_id *ids = BASE_TAKE(reader->memory, cn_body_id, total);
    if (!ids) {
        return base_fail_memory(reader->error);
    }
    *out = ids;
    *count = (int32_t)total;
    for (int32_t i = 0; i < words->count; i++) {
        ids += take_named(model, words->text[i], ids);
    }
    return CN_OK;
}

static int32_t find_joint(const cn_model *model, const char *name) {
    for (int32_t j = 1; j <= model->joint_count; j++) {
        cn_joint_info joint;
        if (cn_model_joint(model, j, &joint) == CN_OK && strcmp(joint.name, name) == 0) {
            return j;
        }
    }
    return 0;
}

cn_status scene_build_record(scene_reader *reader, const scene_record_entry *entry,
                             cn_model *model) {
    static const struct {
        const char *key;
        cn_column_kind kind;
    } rows[] = {{"position", CN_COLUMN_POSITION},
                {"velocity", CN_COLUMN_VELOCITY},
                {"opening", CN_COLUMN_OPENING},
                {"force_on", CN_COLUMN_FORCE},
                {"joint", CN_COLUMN_JOINT}};
    const io_yaml *of = io_yaml_get(entry->node, rows[entry->which].key);
    cn_column_def def = {.name = entry->name, .kind = rows[entry->which].kind};
    const char *one[1] = {entry->position ? entry->position : entry->velocity};
    scene_words words = entry->force_on;
    memcpy(def.point, entry->point, sizeof def.point);
    def.source = (cn_source){entry->node->file, entry->node->line, entry->node->column};
    if (def.kind == CN_COLUMN_POSITION || def.kind == CN_COLUMN_VELOCITY) {
        words = (scene_words){one, 1};
    } else if (def.kind == CN_COLUMN_OPENING) {
        words = (scene_words){(const char **)entry->opening, 2};
    }
    if (def.kind == CN_COLUMN_JOINT) {
        def.joint = find_joint(model, entry->joint);
        if (def.joint == 0) {
            return scene_fail_node(reader, of, CN_ERR_INPUT, "there is no joint \"%.60s\"",
                                   entry->joint);
        }
    } else {
        CN_TRY(find_group(reader, model, &words, of, &def.bodies, &def.body_count));
    }
    if (entry->from.count > 0) {
        CN_TRY(find_group(reader, model, &entry->from, io_yaml_get(entry->node, "from"),
                          &def.others, &def.other_count));
    }
    return cn_model_add_column(model, &def, reader->error);
}
