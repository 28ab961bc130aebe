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
static cn_status cn_plugin_take(cn_reader *reader, const cn_yaml *node, cn_library_fn *function,
                                const cn_plugin **out) {
    *out = ((cn_plugin_fn *)function)();
    if (!*out || (*out)->version != CN_PLUGIN_VERSION) {
        return cn_fail_node(reader, node, CN_ERR_INPUT,
                            "the plug-in has version %u of the interface, this reads %u",
                            *out ? (unsigned)(*out)->version : 0u, (unsigned)CN_PLUGIN_VERSION);
    }
    if (!(*out)->name || (*out)->memory < 0 || (!(*out)->system && !(*out)->control)) {
        return cn_fail_node(reader, node, CN_ERR_INPUT,
                            "the plug-in has no name, or neither a system nor a controller");
    }
    return CN_OK;
}

static cn_status cn_plugin_load(cn_reader *reader, cn_yaml *node, const char *name, cn_model *model,
                                const cn_plugin **out) {
    const char *path = cn_path_beside(reader, node, name);
    if (!path || model->library_count == CN_LIBRARIES_MAX) {
        return path ? cn_fail_node(reader, node, CN_ERR_INPUT, "at most %d plug-ins are accepted",
                                   CN_LIBRARIES_MAX)
                    : cn_fail_memory(reader->error);
    }
    cn_library_fn *function;
    void *library;
    char whole[CN_LIBRARY_PATH];
    if (!cn_library_path(path, whole)) {
        cn_fail_node(reader, node, CN_ERR_INPUT, "there is no plug-in file \"%.200s\"", path);
        cn_fail_hint(reader->error, "build it first; files are relative to the scene's folder");
        return CN_ERR_INPUT;
    }
    cn_status status = cn_library_open(whole, CN_PLUGIN_SYMBOL, &library, &function, reader->error);
    if (status != CN_OK) {
        cn_fail_at(reader->error, node->file, node->line, node->column);
        return status;
    }
    model->library[model->library_count++] = library;
    // A run file keeps the scene's text: its plug-ins are found from anywhere.
    node->text = cn_arena_text(reader->memory, whole, strlen(whole));
    return node->text ? cn_plugin_take(reader, node, function, out) : cn_fail_memory(reader->error);
}

// Names of plug-ins that the scene uses, each once.
static int32_t cn_plugins_used(const cn_scene *scene, const char **name) {
    const cn_control_entry *control = scene->control.item;
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

cn_status cn_scene_check_plugins(cn_reader *reader, const cn_scene *scene) {
    const char **name = CN_TAKE(reader->memory, const char *, (int64_t)scene->control.count + 1);
    if (!name) {
        return cn_fail_memory(reader->error);
    }
    int32_t used = cn_plugins_used(scene, name);
    if (scene->plugins.count <= used) {
        return CN_OK;
    }
    const cn_yaml *list = cn_yaml_get(scene->node, "plugins");
    cn_fail_node(reader, list, CN_ERR_INPUT,
                 "%d plug-ins are named and %d are used; code that nothing needs is not loaded",
                 (int)scene->plugins.count, (int)used);
    cn_fail_hint(reader->error, "remove it, or use it: \"plugin\" of a system or a controller");
    return CN_ERR_INPUT;
}

cn_status cn_scene_load_plugins(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                                cn_model *model, const cn_plugin **plugins) {
    const cn_yaml *list = cn_yaml_get(scene->node, "plugins");
    if (scene->plugins.count > 0 && !(env && env->allow_plugins)) {
        cn_fail_node(reader, list, CN_ERR_INPUT,
                     "this scene runs code of its own (plug-ins), which is not allowed");
        cn_fail_hint(reader->error, "if you trust it, give --allow-plugins");
        return CN_ERR_INPUT;
    }
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < scene->plugins.count; i++) {
        cn_yaml *node = list->kind == CN_YAML_LIST ? list->item[i] : (cn_yaml *)list;
        status = cn_plugin_load(reader, node, scene->plugins.text[i], model, &plugins[i]);
    }
    return status;
}
