// scene/entry.c
// A body or a joint as an entry of a scene, for simulations that are changed while they run: the
// keys, the checks and the errors are those of scene files, names are those of a model.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

#include <string.h>

#define NAMES_MAX 64 // names offered to "did you mean"

// Reads the text into a struct of the table. The inputs that expressions may name are the model's.
static cn_status read_entry(scene_reader *reader, const cn_model *model,
                            const scene_table_of *table, const char *text, size_t size,
                            void **out) {
    io_yaml *tree;
    reader->dim = model->dim;
    reader->inputs = (base_inputs){.memory = reader->memory, .listed = true};
    for (int32_t i = 0; i < cn_model_input_count(model); i++) {
        if (base_inputs_add(&reader->inputs, cn_model_input_name(model, i), 0.0) < 0) {
            return base_fail_memory(reader->error);
        }
    }
    reader->outputs = (base_signal_scope){.inputs = &reader->inputs};
    CN_TRY(io_yaml_read(reader->memory, reader->file, text, size, &tree, reader->error));
    *out = scene_table_initial(reader->memory, table, reader->dim);
    if (!*out) {
        return base_fail_memory(reader->error);
    }
    return scene_table_read(reader, table, tree, *out);
}

static cn_status find_material(scene_reader *reader, const cn_model *model,
                               const scene_body_entry *entry, int32_t *material) {
    *material = entry->material ? cn_model_find_material(model, entry->material) : -1;
    if (*material >= 0) {
        return CN_OK;
    }
    const char *names[NAMES_MAX], *name = entry->material ? entry->material : "";
    int32_t count = cn_model_material_count(model);
    count = count < NAMES_MAX ? count : NAMES_MAX;
    for (int32_t i = 0; i < count; i++) {
        cn_material_def def;
        cn_model_material(model, i, &def);
        names[i] = def.name;
    }
    scene_fail_node(reader, io_yaml_get(entry->node, "material"), CN_ERR_INPUT,
                    "there is no material \"%.60s\"", name);
    scene_hint_names(reader, "materials", name, names, count);
    return CN_ERR_INPUT;
}

cn_status cn_scene_read_body(const cn_model *model, const char *name, const char *text, size_t size,
                             cn_arena *memory, cn_body_def *out, cn_error *error) {
    if (!model || !name || !text || !memory || !out) {
        return base_fail_missing(error);
    }
    void *entry;
    int32_t material;
    scene_reader reader = {.memory = memory, .error = error, .file = name};
    CN_TRY(read_entry(&reader, model, &scene_body_table, text, size, &entry));
    CN_TRY(find_material(&reader, model, entry, &material));
    CN_TRY(scene_body_def(&reader, entry, out));
    out->material = material;
    return CN_OK;
}

static cn_status find_body(scene_reader *reader, const cn_model *model, const io_yaml *node,
                           const char *name, cn_body_id *id) {
    *id = cn_model_find_body(model, name);
    if (*id) {
        return CN_OK;
    }
    const char *names[NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 1; i <= cn_model_body_count(model) && count < NAMES_MAX; i++) {
        cn_body_info info;
        cn_model_body(model, i, &info);
        if (info.name[0] && strcmp(info.kind, "removed") != 0) {
            names[count++] = info.name;
        }
    }
    scene_fail_node(reader, node, CN_ERR_INPUT, "there is no body \"%.60s\"", name);
    scene_hint_names(reader, "bodies", name, names, count);
    return CN_ERR_INPUT;
}

cn_status cn_scene_read_joint(const cn_model *model, const char *name, const char *text,
                              size_t size, cn_arena *memory, cn_joint_def *out, cn_error *error) {
    if (!model || !name || !text || !memory || !out) {
        return base_fail_missing(error);
    }
    void *read;
    scene_reader reader = {.memory = memory, .error = error, .file = name};
    CN_TRY(read_entry(&reader, model, &scene_joint_table, text, size, &read));
    const scene_joint_entry *entry = read;
    const io_yaml *bodies = io_yaml_get(entry->node, "bodies");
    *out = entry->def;
    for (int32_t k = 0; k < 2; k++) {
        CN_TRY(find_body(&reader, model, bodies->item[k], entry->bodies[k], &out->body[k]));
    }
    return CN_OK;
}
