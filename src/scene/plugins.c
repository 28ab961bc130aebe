// scene/plugins.c
// The plug-ins of a scene. A scene must not run code silently: without permission nothing is
// loaded.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/library.h"
#include "model/model.h"
#include "scene/files.h"

#include <string.h>

// The table of one library, looked at before it is trusted.
static cn_status plugin_take(scene_reader *reader, const io_yaml *node, base_library_fn *function,
                             const cn_plugin **out) {
    *out = ((cn_plugin_fn *)function)();
    if (!*out || (*out)->version != CN_PLUGIN_VERSION) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               "the plug-in has version %u of the interface, this reads %u",
                               *out ? (unsigned)(*out)->version : 0u, (unsigned)CN_PLUGIN_VERSION);
    }
    if (!(*out)->name || (*out)->memory < 0 || (!(*out)->system && !(*out)->control)) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               "the plug-in has no name, or neither a system nor a controller");
    }
    return CN_OK;
}

static cn_status plugin_load(scene_reader *reader, io_yaml *node, const char *name, cn_model *model,
                             const cn_plugin **out) {
    const char *path = scene_path_beside(reader, node, name);
    if (!path || model->library_count == MODEL_LIBRARIES_MAX) {
        return path ? scene_fail_node(reader, node, CN_ERR_INPUT,
                                      "at most %d plug-ins are accepted", MODEL_LIBRARIES_MAX)
                    : base_fail_memory(reader->error);
    }
    base_library_fn *function;
    void *library;
    char whole[BASE_LIBRARY_PATH];
    if (!base_library_path(path, whole)) {
        scene_fail_node(reader, node, CN_ERR_INPUT, "there is no plug-in file \"%.200s\"", path);
        base_fail_hint(reader->error, "build it first; files are relative to the scene's folder");
        return CN_ERR_INPUT;
    }
    cn_status status =
        base_library_open(whole, CN_PLUGIN_SYMBOL, &library, &function, reader->error);
    if (status != CN_OK) {
        base_fail_at(reader->error, node->file, node->line, node->column);
        return status;
    }
    model->library[model->library_count++] = library;
    // A run file keeps the scene's text: its plug-ins are found from anywhere.
    node->text = base_arena_text(reader->memory, whole, strlen(whole));
    return node->text ? plugin_take(reader, node, function, out) : base_fail_memory(reader->error);
}

// Names of plug-ins that the scene uses, each once.
static int32_t plugins_used(const scene_document *scene, const char **name) {
    const scene_control_entry *control = scene->control.item;
    int32_t count = 0;
    for (int32_t i = -1; i < scene->control.count; i++) {
        const char *own = i >= 0 ? control[i].plugin : scene->system ? scene->system->plugin : NULL;
        bool known = own == NULL;
        for (int32_t k = 0; k < count && !known; k++) {
            known = strcmp(name[k], own) == 0;
        }
        if (!known) {
            name[count++] = own;
        }
    }
    return count;
}

cn_status scene_check_plugins(scene_reader *reader, const scene_document *scene) {
    const char **name = BASE_TAKE(reader->memory, const char *, (int64_t)scene->control.count + 1);
    if (!name) {
        return base_fail_memory(reader->error);
    }
    int32_t used = plugins_used(scene, name);
    if (scene->plugins.count <= used) {
        return CN_OK;
    }
    const io_yaml *list = io_yaml_get(scene->node, "plugins");
    scene_fail_node(reader, list, CN_ERR_INPUT,
                    "%d plug-ins are named and %d are used; code that nothing needs is not loaded",
                    (int)scene->plugins.count, (int)used);
    base_fail_hint(reader->error, "remove it, or use it: \"plugin\" of a system or a controller");
    return CN_ERR_INPUT;
}

cn_status scene_load_plugins(scene_reader *reader, const scene_document *scene, const cn_env *env,
                             cn_model *model, const cn_plugin **plugins) {
    const io_yaml *list = io_yaml_get(scene->node, "plugins");
    if (scene->plugins.count > 0 && !(env && env->allow_plugins)) {
        scene_fail_node(reader, list, CN_ERR_INPUT,
                        "this scene runs code of its own (plug-ins), which is not allowed");
        base_fail_hint(reader->error, "if you trust it, give --allow-plugins");
        return CN_ERR_INPUT;
    }
    for (int32_t i = 0; i < scene->plugins.count; i++) {
        io_yaml *node = list->kind == IO_YAML_LIST ? list->item[i] : (io_yaml *)list;
        CN_TRY(plugin_load(reader, node, scene->plugins.text[i], model, &plugins[i]));
    }
    return CN_OK;
}

cn_status scene_load_solver(scene_reader *reader, const scene_document *scene, const cn_env *env,
                            cn_model *model) {
    const char *name = scene->settings.plugin;
    if (!name || !name[0]) {
        return CN_OK;
    }
    io_yaml *node = io_yaml_get(io_yaml_get(scene->node, "solver"), "plugin");
    if (!(env && env->allow_plugins)) {
        scene_fail_node(reader, node, CN_ERR_INPUT,
                        "this scene runs a solver of its own (a plug-in), which is not allowed");
        base_fail_hint(reader->error, "if you trust it, give --allow-plugins");
        return CN_ERR_INPUT;
    }
    const char *path = scene_path_beside(reader, node, name);
    char whole[BASE_LIBRARY_PATH];
    const cn_solver_plugin *table;
    void *library;
    if (!path) {
        return base_fail_memory(reader->error);
    }
    cn_status status = cn_solver_plugin_open(path, &library, &table, reader->error);
    if (status != CN_OK) {
        base_fail_at(reader->error, node->file, node->line, node->column);
        return status;
    }
    model->library[model->library_count++] = library; // the first: there is room
    if (!table->friction) {
        return scene_fail_node(reader, node, CN_ERR_INPUT,
                               "the plug-in has no solver of friction problems, only of LCPs");
    }
    cn_model_settings(model)->own_solver = table->friction;
    // A run file keeps the scene's text: its plug-in is found from anywhere.
    if (base_library_path(path, whole)) {
        node->text = base_arena_text(reader->memory, whole, strlen(whole));
    }
    return node->text ? CN_OK : base_fail_memory(reader->error);
}
