// scene/read.c
// Scene files to models: load with includes, put the overrides in, read by the tables, build, and
// keep the resolved text with the model.
#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

// The dimension decides how vectors are read, so it is looked at first; what is wrong with it the
// table says.
static int32_t read_dimension(const io_yaml *tree) {
    const io_yaml *node = io_yaml_get(tree, "dimension");
    return node && node->kind == IO_YAML_NUMBER && node->number == 2.0 ? 2 : 3;
}

// The scene's name: its own, or the file's without folder and ending.
static const char *read_name(scene_reader *reader, const scene_document *scene) {
    if (scene->name) {
        return scene->name;
    }
    const char *slash = strrchr(reader->file, '/');
    const char *name = slash ? slash + 1 : reader->file;
    const char *dot = strrchr(name, '.');
    return base_arena_text(reader->memory, name,
                           dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

// The tolerance that the model has chosen where the scene has none, for the resolved text.
static cn_status read_tolerance(scene_reader *reader, const cn_model *model, io_yaml *tree) {
    io_yaml *solver = io_yaml_get(tree, "solver"), *value;
    char text[32];
    if (!solver || io_yaml_get(solver, "tolerance")) {
        return CN_OK;
    }
    int length = snprintf(text, sizeof text, "%.17g", model->settings.tolerance);
    CN_TRY(io_yaml_read(reader->memory, "default", text, (size_t)length, &value, reader->error));
    if (!io_yaml_put(reader->memory, solver, io_yaml_new_text(reader->memory, "tolerance", NULL),
                     value)) {
        return base_fail_memory(reader->error);
    }
    return CN_OK;
}

// Name and resolved text live with the model.
static cn_status read_keep(scene_reader *reader, const scene_document *scene, io_yaml *tree,
                           cn_model *model) {
    const char *name = read_name(reader, scene);
    if (!name) {
        return base_fail_memory(reader->error);
    }
    if (!io_yaml_put(reader->memory, tree, io_yaml_new_text(reader->memory, "name", NULL),
                     io_yaml_new_text(reader->memory, name, NULL))) {
        return base_fail_memory(reader->error);
    }
    CN_TRY(scene_schema_fill(reader, &scene_table, tree));

    CN_TRY(read_tolerance(reader, model, tree));

    base_buffer text;
    base_buffer_init(&text, cn_arena_env(reader->memory));
    bool written = io_yaml_write(tree, &text);
    model->name = base_arena_text(model->memory, name, strlen(name));
    model->scene_text =
        written ? base_arena_text(model->memory, (const char *)text.data, text.size) : NULL;
    base_buffer_free(&text);
    return model->name && model->scene_text ? CN_OK : base_fail_memory(reader->error);
}

// The inputs that the scene lists, before anything is read: expressions may name no others.
static bool read_inputs(scene_reader *reader, const io_yaml *tree) {
    const io_yaml *inputs = io_yaml_get(tree, "inputs");
    reader->inputs = (base_inputs){.memory = reader->memory, .listed = inputs != NULL};
    for (int32_t i = 0; inputs && inputs->kind == IO_YAML_MAP && i < inputs->count; i++) {
        const char *name = inputs->key[i]->text;
        if (name && base_inputs_add(&reader->inputs, name, 0.0) < 0) {
            return false;
        }
    }
    return true;
}

// The names that controllers put out, likewise.
static bool read_outputs(scene_reader *reader, const io_yaml *tree) {
    const io_yaml *control = io_yaml_get(tree, "control");
    int32_t count = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        base_variable *names =
            pass == 1 ? BASE_TAKE_ZERO(reader->memory, base_variable, count) : NULL;
        double *values = pass == 1 ? BASE_TAKE_ZERO(reader->memory, double, count) : NULL;
        if (pass == 1 && (!names || !values)) {
            return false;
        }
        count = 0;
        for (int32_t i = 0; control && control->kind == IO_YAML_LIST && i < control->count; i++) {
            const io_yaml *outputs = io_yaml_get(control->item[i], "outputs");
            for (int32_t k = 0; outputs && outputs->kind == IO_YAML_MAP && k < outputs->count;
                 k++) {
                if (pass == 1) {
                    names[count] = (base_variable){outputs->key[k]->text, &values[count]};
                }
                count++;
            }
        }
        reader->outputs = (base_signal_scope){
            .variable = names, .count = pass == 1 ? count : 0, .inputs = &reader->inputs};
    }
    return true;
}

static cn_status read_tree(scene_reader *reader, io_yaml *tree, const cn_override *overrides,
                           int32_t override_count, const cn_env *env, cn_model **out) {
    cn_status status = scene_override(reader, tree, overrides, override_count);
    scene_document *scene = BASE_TAKE_ZERO(reader->memory, scene_document, 1);
    if (status != CN_OK || !scene) {
        return status != CN_OK ? status : base_fail_memory(reader->error);
    }
    reader->dim = read_dimension(tree);
    if (!read_inputs(reader, tree) || !read_outputs(reader, tree)) {
        return base_fail_memory(reader->error);
    }
    status = scene_table_read(reader, &scene_table, tree, scene);
    if (status == CN_OK && reader->expand) {
        reader->expanded_name = read_name(reader, scene);
        status = reader->expanded_name ? CN_OK : base_fail_memory(reader->error);
    }
    if (status == CN_OK) {
        status = scene_build(reader, scene, env, out);
    }
    if (status == CN_OK && !reader->expand) {
        status = read_keep(reader, scene, tree, *out);
        if (status != CN_OK) {
            cn_model_destroy(*out);
            *out = NULL;
        }
    }
    return status;
}

static cn_status read_document(const cn_env *env, const char *name, const char *text, size_t size,
                               const cn_override *overrides, int32_t override_count, bool expand,
                               cn_model **out, cn_error *error) {
    if (!name || !out || override_count < 0 || (override_count > 0 && !overrides)) {
        return base_fail(error, CN_ERR_ARGUMENT, "a scene needs a name and a place for the model");
    }
    *out = NULL;
    scene_reader reader = {
        .memory = cn_arena_create(env), .error = error, .file = name, .expand = expand};
    if (!reader.memory) {
        return base_fail_memory(error);
    }
    io_yaml *tree;
    cn_status status =
        text ? scene_load_text(&reader, text, size, &tree) : scene_load(&reader, name, &tree);
    if (status == CN_OK) {
        status = read_tree(&reader, tree, overrides, override_count, env, out);
    }
    cn_arena_destroy(reader.memory);
    return status;
}

cn_status cn_scene_read(const cn_env *env, const char *path, const cn_override *overrides,
                        int32_t override_count, cn_model **out, cn_error *error) {
    return read_document(env, path, NULL, 0, overrides, override_count, false, out, error);
}

cn_status cn_scene_read_expanded(const cn_env *env, const char *path, const cn_override *overrides,
                                 int32_t override_count, cn_model **out, cn_error *error) {
    return read_document(env, path, NULL, 0, overrides, override_count, true, out, error);
}

cn_status cn_scene_read_text(const cn_env *env, const char *name, const char *text, size_t size,
                             const cn_override *overrides, int32_t override_count, cn_model **out,
                             cn_error *error) {
    return read_document(env, name, text ? text : "", text ? size : 0, overrides, override_count,
                         false, out, error);
}

const char *cn_model_scene_text(const cn_model *model) {
    return model ? model->scene_text : NULL;
}

const char *cn_model_name(const cn_model *model) {
    return model ? model->name : NULL;
}
