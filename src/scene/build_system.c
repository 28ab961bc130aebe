// scene/build_system.c
// The system of a scene: sizes compared, texts compiled, the system handed to the model.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"

#include <cairn/sim.h>

#include <math.h>
#include <string.h>

// What is asked of a key's length; given 0 is allowed where it may be left out.
static cn_status check_count(scene_reader *reader, const io_yaml *node, const char *key,
                             int32_t given, int32_t asked) {
    const io_yaml *place = io_yaml_get(node, key);
    if (!place || given == asked) {
        return CN_OK;
    }
    return scene_fail_node(reader, place, CN_ERR_INPUT, "%s has %d entries, but should have %d",
                           key, (int)given, (int)asked);
}

static cn_status check_matrix(scene_reader *reader, const io_yaml *node, const char *key,
                              int32_t rows, int32_t cols, int32_t asked_rows, int32_t asked_cols) {
    const io_yaml *place = io_yaml_get(node, key);
    if (!place || (rows == asked_rows && cols == asked_cols)) {
        return CN_OK;
    }
    return scene_fail_node(reader, place, CN_ERR_INPUT, "%s is %d x %d, but should be %d x %d", key,
                           (int)rows, (int)cols, (int)asked_rows, (int)asked_cols);
}

// ---- Lagrangian ----

static cn_status build_contact_list(scene_reader *reader, const scene_items *items, int32_t n,
                                    sys_script_contact **out) {
    const scene_system_contact_entry *entry = items->item;
    *out = BASE_TAKE(reader->memory, sys_script_contact, items->count);
    if (!(*out)) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < items->count; i++) {
        (*out)[i] = entry[i].def;
        (*out)[i].law.name = entry[i].name;
        (*out)[i].source = scene_place(entry[i].node);
        CN_TRY(check_count(reader, entry[i].node, "normal", entry[i].def.normal.count, n));
        CN_TRY(check_count(reader, entry[i].node, "tangent", entry[i].def.tangent.count, n));
    }
    return CN_OK;
}

static cn_status build_joint_list(scene_reader *reader, const scene_items *items, int32_t n,
                                  sys_script_joint **out) {
    const scene_system_joint_entry *entry = items->item;
    *out = BASE_TAKE(reader->memory, sys_script_joint, items->count);
    if (!(*out)) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < items->count; i++) {
        (*out)[i] = entry[i].def;
        CN_TRY(check_count(reader, entry[i].node, "rows", entry[i].def.rows.count, n));
    }
    return CN_OK;
}

// A system that a plug-in describes, from the scene's parameters.
static cn_status build_plugin(scene_reader *reader, const scene_document *scene,
                              const cn_plugin *const *plugins, const cn_env *env,
                              cn_system **system) {
    const scene_system_entry *entry = scene->system;
    int32_t count = entry->parameters.count;
    const cn_plugin *plugin = NULL;
    sys_script *script = NULL;
    sys_script_common common = {.parameters = entry->parameters};
    cn_status status =
        scene_find_plugin(reader, scene, plugins, entry->node, entry->plugin, &plugin);
    if (status == CN_OK && (!plugin->system || entry->q.count > 0 || scene->control.count > 0)) {
        return scene_fail_node(reader, entry->node, CN_ERR_INPUT,
                               plugin->system
                                   ? "a system of a plug-in has only parameters: all else is in it"
                                   : "the plug-in has no system");
    }
    if (status == CN_OK) {
        status = sys_script_create(env, &common, 0, true, 0, &script, reader->error);
    }
    cn_plugin_value *values = BASE_TAKE(reader->memory, cn_plugin_value, count);
    if (status != CN_OK || !values) {
        sys_script_destroy(script);
        return status != CN_OK ? status : base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < count; i++) {
        values[i] =
            (cn_plugin_value){entry->parameters.of[i].name, script->value[1 + i]}; // t first
    }
    sys_script_destroy(script);
    char message[200] = "the plug-in makes no system of these parameters";
    cn_lagrangian def = cn_lagrangian_default(0);
    if (!plugin->system(values, count, &def, message, sizeof message)) {
        return scene_fail_node(reader, entry->node, CN_ERR_INPUT, "%s", message);
    }
    status = cn_system_create(env, &def, system, reader->error);
    if (status != CN_OK && def.hooks.end) {
        def.hooks.end(def.user);
    }
    return scene_place_error(reader, status, entry->node);
}

static cn_status build_lagrangian(scene_reader *reader, const scene_document *scene,
                                  const cn_plugin *const *plugins, const cn_env *env,
                                  cn_system **system) {
    const scene_system_entry *entry = scene->system;
    int32_t n = entry->q.count;
    if (entry->plugin) {
        return build_plugin(reader, scene, plugins, env, system);
    }
    static const char *const needed[] = {"q", "mass", "force"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!io_yaml_get(entry->node, needed[i])) {
            return scene_fail_node(reader, entry->node, CN_ERR_INPUT, "system needs \"%s\"",
                                   needed[i]);
        }
    }
    sys_script_contact *contacts = NULL;
    sys_script_joint *joints = NULL;
    sys_script_lagrangian def = {.n = n,
                                 .q = entry->q.value,
                                 .v = entry->v.count > 0 ? entry->v.value : NULL,
                                 .mass = entry->mass.of,
                                 .force = entry->force.of,
                                 .potential = entry->potential,
                                 .contacts = entry->contacts.count,
                                 .joints = entry->joints.count};
    if (!(n > 0)) {
        CN_TRY(scene_fail_node(reader, io_yaml_get(entry->node, "q"), CN_ERR_INPUT,
                               "a system has at least one coordinate"));
    }
    CN_TRY(check_count(reader, entry->node, "v", entry->v.count, n));

    CN_TRY(check_count(reader, entry->node, "force", entry->force.count, n));

    CN_TRY(check_matrix(reader, entry->node, "mass", entry->mass.rows, entry->mass.cols, n, n));

    CN_TRY(build_contact_list(reader, &entry->contacts, n, &contacts));

    CN_TRY(build_joint_list(reader, &entry->joints, n, &joints));

    CN_TRY(scene_controllers(reader, scene, plugins, entry->name, &entry->parameters,
                             &entry->definitions, &def.common));

    def.contact = contacts;
    def.joint = joints;
    return scene_place_error(reader, sys_script_lagrangian_create(env, &def, system, reader->error),
                             entry->node);
}

// ---- first order ----

static cn_status build_bounds(scene_reader *reader, const scene_first_order_entry *entry, int32_t m,
                              cn_first_order *system) {
    double *bounds = BASE_TAKE(reader->memory, double, 2 * (int64_t)m);
    if (!bounds) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < m; i++) {
        bounds[i] = entry->lower.count > 0 ? entry->lower.value[i] : entry->law == 1 ? -1.0 : 0.0;
        bounds[m + i] = entry->upper.count > 0 ? entry->upper.value[i]
                        : entry->law == 1      ? 1.0
                                               : HUGE_VAL;
    }
    system->lower = bounds;
    system->upper = bounds + m;
    return CN_OK;
}

static cn_status build_first_order(scene_reader *reader, const scene_document *scene,
                                   const cn_plugin *const *plugins, const cn_env *env,
                                   cn_system **system) {
    const scene_first_order_entry *entry = scene->first_order;
    const io_yaml *node = entry->node;
    int32_t n = entry->x.count, m = entry->B.cols;
    const struct {
        const char *key;
        const scene_matrix *matrix;
        int32_t rows, cols;
    } matrices[] = {{"A", &entry->A, n, n},
                    {"B", &entry->B, n, m},
                    {"C", &entry->C, m, n},
                    {"D", &entry->D, m, m}};
    const struct {
        const char *key;
        int32_t given, asked;
    } lists[] = {{"b", entry->b.count, n},
                 {"e", entry->e.count, m},
                 {"lower", entry->lower.count, m},
                 {"upper", entry->upper.count, m}};
    sys_script_first_order def = {.b = entry->b,
                                  .e = entry->e,
                                  .system = {.n = n,
                                             .m = m,
                                             .A = entry->A.value,
                                             .B = entry->B.value,
                                             .C = entry->C.value,
                                             .D = entry->D.value,
                                             .x = entry->x.value}};
    for (size_t i = 0; i < 4; i++) {
        CN_TRY(check_matrix(reader, node, matrices[i].key, matrices[i].matrix->rows,
                            matrices[i].matrix->cols, matrices[i].rows, matrices[i].cols));
    }
    for (size_t i = 0; i < 4; i++) {
        CN_TRY(check_count(reader, node, lists[i].key, lists[i].given, lists[i].asked));
    }
    CN_TRY(build_bounds(reader, entry, m, &def.system));

    CN_TRY(scene_controllers(reader, scene, plugins, entry->name, &entry->parameters,
                             &entry->definitions, &def.common));

    return scene_place_error(reader,
                             sys_script_first_order_create(env, &def, system, reader->error), node);
}

// The integrator of first-order systems is not one of rigid bodies.
static cn_status check_scheme(scene_reader *reader, const scene_document *scene) {
    const char *name = scene->settings.scheme;
    const io_yaml *integrator = io_yaml_get(scene->node, "integrator");
    const cn_system_scheme *scheme = cn_system_scheme_find(name);
    if (!integrator || !scheme || !scheme->first_order) {
        return CN_OK; // the run says when there is none
    }
    scene_fail_node(reader, io_yaml_get(integrator, "scheme"), CN_ERR_UNSUPPORTED,
                    "the scheme \"%s\" is for first-order systems, not for rigid bodies", name);
    base_fail_hint(reader->error, "bodies take moreau-jean, event-driven or generalized-alpha");
    return CN_ERR_UNSUPPORTED;
}

cn_status scene_build_system(scene_reader *reader, const scene_document *scene, const cn_env *env,
                             cn_model *model) {
    if (!scene->system && !scene->first_order) {
        return check_scheme(reader, scene);
    }
    const io_yaml *node = scene->system ? scene->system->node : scene->first_order->node;
    if ((scene->system && scene->first_order) || scene->bodies.count > 0 ||
        scene->generators.count > 0 || scene->materials.count > 0) {
        scene_fail_node(reader, node, CN_ERR_INPUT,
                        "a system stands for itself: no bodies, materials or second system");
        return CN_ERR_INPUT;
    }
    cn_system *system = NULL;
    const cn_plugin **plugins = BASE_TAKE(reader->memory, const cn_plugin *, scene->plugins.count);
    if (!plugins) {
        return base_fail_memory(reader->error);
    }
    CN_TRY(scene_load_plugins(reader, scene, env, model, plugins));
    CN_TRY(scene->system ? build_lagrangian(reader, scene, plugins, env, &system)
                         : build_first_order(reader, scene, plugins, env, &system));

    return scene_place_error(reader, cn_model_set_system(model, system, reader->error), node);
}
