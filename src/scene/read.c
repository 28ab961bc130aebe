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
static int32_t cn_read_dimension(const cn_yaml *tree) {
    const cn_yaml *node = cn_yaml_get(tree, "dimension");
    return node && node->kind == CN_YAML_NUMBER && node->number == 2.0 ? 2 : 3;
}

// The scene's name: its own, or the file's without folder and ending.
static const char *cn_read_name(cn_reader *reader, const cn_scene *scene) {
    if (scene->name) {
        return scene->name;
    }
    const char *slash = strrchr(reader->file, '/');
    const char *name = slash ? slash + 1 : reader->file;
    const char *dot = strrchr(name, '.');
    return cn_arena_text(reader->memory, name,
                         dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

// The tolerance that the model has chosen where the scene has none, for the resolved text.
static cn_status cn_read_tolerance(cn_reader *reader, const cn_model *model, cn_yaml *tree) {
    cn_yaml *solver = cn_yaml_get(tree, "solver"), *value;
    char text[32];
    if (!solver || cn_yaml_get(solver, "tolerance")) {
        return CN_OK;
    }
    int length = snprintf(text, sizeof text, "%.17g", model->settings.tolerance);
    cn_status status =
        cn_yaml_read(reader->memory, "default", text, (size_t)length, &value, reader->error);
    if (status == CN_OK &&
        !cn_yaml_put(reader->memory, solver, cn_yaml_new_text(reader->memory, "tolerance", NULL),
                     value)) {
        status = cn_fail_memory(reader->error);
    }
    return status;
}

// Name and resolved text live with the model.
static cn_status cn_read_keep(cn_reader *reader, const cn_scene *scene, cn_yaml *tree,
                              cn_model *model) {
    const char *name = cn_read_name(reader, scene);
    cn_status status = name ? CN_OK : cn_fail_memory(reader->error);
    if (status == CN_OK &&
        !cn_yaml_put(reader->memory, tree, cn_yaml_new_text(reader->memory, "name", NULL),
                     cn_yaml_new_text(reader->memory, name, NULL))) {
        status = cn_fail_memory(reader->error);
    }
    if (status == CN_OK) {
        status = cn_schema_fill(reader, &cn_scene_table, tree);
    }
    if (status == CN_OK) {
        status = cn_read_tolerance(reader, model, tree);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_buffer text;
    cn_buffer_init(&text, cn_arena_env(reader->memory));
    bool written = cn_yaml_write(tree, &text);
    model->name = cn_arena_text(model->memory, name, strlen(name));
    model->scene_text =
        written ? cn_arena_text(model->memory, (const char *)text.data, text.size) : NULL;
    cn_buffer_free(&text);
    return model->name && model->scene_text ? CN_OK : cn_fail_memory(reader->error);
}

// The names that controllers put out, before anything is read: expressions may use them.
static bool cn_read_outputs(cn_reader *reader, const cn_yaml *tree) {
    const cn_yaml *control = cn_yaml_get(tree, "control");
    int32_t count = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        cn_variable *names = pass == 1 ? CN_TAKE_ZERO(reader->memory, cn_variable, count) : NULL;
        double *values = pass == 1 ? CN_TAKE_ZERO(reader->memory, double, count) : NULL;
        if (pass == 1 && (!names || !values)) {
            return false;
        }
        count = 0;
        for (int32_t i = 0; control && control->kind == CN_YAML_LIST && i < control->count; i++) {
            const cn_yaml *outputs = cn_yaml_get(control->item[i], "outputs");
            for (int32_t k = 0; outputs && outputs->kind == CN_YAML_MAP && k < outputs->count;
                 k++) {
                if (pass == 1) {
                    names[count] = (cn_variable){outputs->key[k]->text, &values[count]};
                }
                count++;
            }
        }
        reader->outputs = (cn_signal_scope){.variable = names, .count = pass == 1 ? count : 0};
    }
    return true;
}

static cn_status cn_read_tree(cn_reader *reader, cn_yaml *tree, const cn_override *overrides,
                              int32_t override_count, const cn_env *env, cn_model **out) {
    cn_status status = cn_scene_override(reader, tree, overrides, override_count);
    cn_scene *scene = CN_TAKE_ZERO(reader->memory, cn_scene, 1);
    if (status != CN_OK || !scene) {
        return status != CN_OK ? status : cn_fail_memory(reader->error);
    }
    reader->dim = cn_read_dimension(tree);
    if (!cn_read_outputs(reader, tree)) {
        return cn_fail_memory(reader->error);
    }
    status = cn_table_read(reader, &cn_scene_table, tree, scene);
    if (status == CN_OK) {
        status = cn_scene_build(reader, scene, env, out);
    }
    if (status == CN_OK) {
        status = cn_read_keep(reader, scene, tree, *out);
        if (status != CN_OK) {
            cn_model_destroy(*out);
            *out = NULL;
        }
    }
    return status;
}

static cn_status cn_read(const cn_env *env, const char *name, const char *text, size_t size,
                         const cn_override *overrides, int32_t override_count, cn_model **out,
                         cn_error *error) {
    if (!name || !out || override_count < 0 || (override_count > 0 && !overrides)) {
        return cn_fail(error, CN_ERR_ARGUMENT, "a scene needs a name and a place for the model");
    }
    *out = NULL;
    cn_reader reader = {.memory = cn_arena_create(env), .error = error, .file = name};
    if (!reader.memory) {
        return cn_fail_memory(error);
    }
    cn_yaml *tree;
    cn_status status =
        text ? cn_scene_load_text(&reader, text, size, &tree) : cn_scene_load(&reader, name, &tree);
    if (status == CN_OK) {
        status = cn_read_tree(&reader, tree, overrides, override_count, env, out);
    }
    cn_arena_destroy(reader.memory);
    return status;
}

cn_status cn_scene_read(const cn_env *env, const char *path, const cn_override *overrides,
                        int32_t override_count, cn_model **out, cn_error *error) {
    return cn_read(env, path, NULL, 0, overrides, override_count, out, error);
}

cn_status cn_scene_read_text(const cn_env *env, const char *name, const char *text, size_t size,
                             const cn_override *overrides, int32_t override_count, cn_model **out,
                             cn_error *error) {
    return cn_read(env, name, text ? text : "", text ? size : 0, overrides, override_count, out,
                   error);
}

const char *cn_model_scene_text(const cn_model *model) {
    return model ? model->scene_text : NULL;
}

const char *cn_model_name(const cn_model *model) {
    return model ? model->name : NULL;
}
