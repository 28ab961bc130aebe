// scene/build_control.c
// The controllers of a scene: of a system, which has names of its own, or of bodies, whose numbers
// have the names of bodies and joints.
#include "scene/scene.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/model.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

cn_source scene_place(const io_yaml *node) {
    return (cn_source){.file = node->file, .line = node->line, .column = node->column};
}

cn_status scene_place_error(scene_reader *reader, cn_status status, const io_yaml *node) {
    status = status == CN_ERR_ARGUMENT || status == CN_ERR_NUMERIC ? CN_ERR_INPUT : status;
    if (reader->error && status != CN_OK && status != CN_ERR_MEMORY) {
        reader->error->status = status;
        if (!reader->error->file[0]) {
            base_fail_at(reader->error, node->file, node->line, node->column);
        }
    }
    return status;
}

// The plug-in of a name among those loaded.
cn_status scene_find_plugin(scene_reader *reader, const scene_document *scene,
                            const cn_plugin *const *plugins, const io_yaml *node, const char *name,
                            const cn_plugin **out) {
    for (int32_t i = 0; i < scene->plugins.count; i++) {
        if (strcmp(plugins[i]->name, name) == 0) {
            *out = plugins[i];
            return CN_OK;
        }
    }
    scene_fail_node(reader, io_yaml_get(node, "plugin"), CN_ERR_INPUT,
                    "there is no plug-in \"%.60s\"", name);
    if (scene->plugins.count > 0) {
        base_fail_hint(reader->error, "the scene loads \"%.60s\"", plugins[0]->name);
    } else {
        base_fail_hint(reader->error, "name its file in \"plugins\"");
    }
    return CN_ERR_INPUT;
}

cn_status scene_controllers(scene_reader *reader, const scene_document *scene,
                            const cn_plugin *const *plugins, const char *name,
                            const sys_script_names *parameters, const sys_script_names *definitions,
                            sys_script_common *out) {
    const scene_control_entry *entry = scene->control.item;
    sys_script_control *control =
        BASE_TAKE(reader->memory, sys_script_control, scene->control.count);
    if (!control) {
        return base_fail_memory(reader->error);
    }
    for (int32_t i = 0; i < scene->control.count; i++) {
        double ratio = entry[i].def.period / scene->settings.step;
        if (ratio > 0.0 && !(fabs(ratio - floor(ratio + 0.5)) <= 1e-6 * ratio && ratio > 0.5)) {
            return scene_fail_node(reader, io_yaml_get(entry[i].node, "period"), CN_ERR_INPUT,
                                   "the period %g s is not a multiple of the step %g s",
                                   entry[i].def.period, scene->settings.step);
        }
        control[i] = entry[i].def;
        control[i].source = scene_place(entry[i].node);
        if (entry[i].plugin) {
            CN_TRY(scene_find_plugin(reader, scene, plugins, entry[i].node, entry[i].plugin,
                                     &control[i].plugin));
            if (!control[i].plugin->control) {
                return scene_fail_node(reader, entry[i].node, CN_ERR_INPUT,
                                       "the plug-in %.60s has no controller", entry[i].plugin);
            }
        }
    }
    *out = (sys_script_common){.name = name          ? name
                                       : scene->name ? scene->name
                                                     : "system",
                               .parameters = *parameters,
                               .definitions = *definitions,
                               .control = control,
                               .control_count = scene->control.count};
    return CN_OK;
}

// ---- controllers of bodies ----

#define SENSORS_SHOWN 16
#define SENSOR_NAME 80 // letters of a sensor's name at most

// Numbers of a body or joint: what is put behind its name.
typedef struct sensor_word {
    const char *word;
    model_sensor_kind kind;
    int32_t axis;
} sensor_word;

static const sensor_word body_words[2][9] = {{{"x", MODEL_SENSOR_POSITION, 0},
                                              {"y", MODEL_SENSOR_POSITION, 1},
                                              {"angle", MODEL_SENSOR_ANGLE, 2},
                                              {"vx", MODEL_SENSOR_VELOCITY, 0},
                                              {"vy", MODEL_SENSOR_VELOCITY, 1},
                                              {"w", MODEL_SENSOR_SPIN, 2},
                                              {NULL, MODEL_SENSOR_SPIN, 0}},
                                             {{"x", MODEL_SENSOR_POSITION, 0},
                                              {"y", MODEL_SENSOR_POSITION, 1},
                                              {"z", MODEL_SENSOR_POSITION, 2},
                                              {"vx", MODEL_SENSOR_VELOCITY, 0},
                                              {"vy", MODEL_SENSOR_VELOCITY, 1},
                                              {"vz", MODEL_SENSOR_VELOCITY, 2},
                                              {"wx", MODEL_SENSOR_SPIN, 0},
                                              {"wy", MODEL_SENSOR_SPIN, 1},
                                              {"wz", MODEL_SENSOR_SPIN, 2}}};
static const sensor_word joint_words[2] = {{"q", MODEL_SENSOR_JOINT, 0},
                                           {"v", MODEL_SENSOR_JOINT_RATE, 0}};

typedef struct sensor_list {
    model_sensor *sensor;
    sys_script_name *name;
    int32_t count, capacity;
} sensor_list;

// One more sensor; what cannot stand in a name becomes an underscore. false: no memory.
static bool sensor_add(scene_reader *reader, sensor_list *list, const char *owner, int32_t of,
                       const sensor_word *word, const io_yaml *node) {
    char name[SENSOR_NAME];
    snprintf(name, sizeof name, "%.60s_%s", owner, word->word);
    for (char *c = name; *c; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (strcmp(list->name[i].name, name) == 0) {
            return true; // the first that is named so
        }
    }
    const char *copy = base_arena_text(reader->memory, name, strlen(name));
    list->sensor[list->count] = (model_sensor){word->kind, of, word->axis};
    list->name[list->count++] =
        (sys_script_name){.name = copy, .value = {.source = scene_place(node)}};
    return copy != NULL;
}

// Whether an expression of a controller has the text: only what is asked for becomes a sensor.
static bool names_mention(const sys_script_names *names, const char *owner) {
    for (int32_t i = 0; i < names->count; i++) {
        if (names->of[i].value.text && strstr(names->of[i].value.text, owner)) {
            return true;
        }
    }
    return false;
}

static bool control_mentions(const scene_document *scene, const char *owner) {
    const scene_control_entry *entry = scene->control.item;
    char word[SENSOR_NAME];
    snprintf(word, sizeof word, "%.60s_", owner);
    for (char *c = word; *c; c++) {
        *c = isalnum((unsigned char)*c) ? *c : '_';
    }
    bool found = false;
    for (int32_t i = 0; owner[0] && i < scene->control.count && !found; i++) {
        found = names_mention(&entry[i].def.sensors, word) ||
                names_mention(&entry[i].def.outputs, word) ||
                names_mention(&entry[i].def.next, word);
    }
    return found;
}

static cn_status sensors_collect(scene_reader *reader, const scene_document *scene,
                                 const cn_model *model, sensor_list *out) {
    const scene_joint_entry *joint = scene->joints.item;
    int64_t max = 9 * (int64_t)model->body_count + 2 * (int64_t)scene->joints.count;
    *out = (sensor_list){.sensor = BASE_TAKE(model->memory, model_sensor, max),
                         .name = BASE_TAKE(reader->memory, sys_script_name, max)};
    bool good = out->sensor && out->name;
    for (int32_t i = 0; good && i < model->body_count; i++) {
        const char *name = model->body[i].name;
        bool asked = control_mentions(scene, name);
        for (int32_t k = 0; good && asked && k < 9 && body_words[model->dim - 2][k].word; k++) {
            good = sensor_add(reader, out, name, i, &body_words[model->dim - 2][k],
                              scene->control.node);
        }
    }
    for (int32_t j = 0; good && j < scene->joints.count; j++) {
        const char *name = joint[j].def.name ? joint[j].def.name : "";
        bool asked = control_mentions(scene, name) &&
                     joint_form_of(joint[j].def.kind, model->dim)->drive != JOINT_GAUGE_NONE;
        for (int32_t k = 0; good && asked && k < 2; k++) {
            good = sensor_add(reader, out, name, model->joint_count + j, &joint_words[k],
                              scene->control.node);
        }
    }
    return good ? CN_OK : base_fail_memory(reader->error);
}

// What the model keeps of the controllers, all in its own memory but the script.
static cn_status control_keep(scene_reader *reader, const scene_document *scene, cn_model *model,
                              sys_script *script, const sensor_list *sensors) {
    const scene_control_entry *entry = scene->control.item;
    model_control *control = BASE_TAKE_ZERO(model->memory, model_control, 1);
    base_variable *names = BASE_TAKE(model->memory, base_variable, reader->outputs.count);
    if (!control || !names) {
        sys_script_destroy(script);
        return base_fail_memory(reader->error);
    }
    *control = (model_control){
        .script = script, .sensor = sensors->sensor, .sensor_count = sensors->count};
    model->control = control;
    model->signals.variable = names;
    for (int32_t i = 0; i < scene->control.count; i++) {
        for (int32_t k = 0; k < entry[i].def.outputs.count; k++) {
            const char *name = entry[i].def.outputs.of[k].name;
            const char *copy = base_arena_text(model->memory, name, strlen(name));
            if (!copy) {
                return base_fail_memory(reader->error);
            }
            names[model->signals.count++] = (base_variable){copy, sys_script_find(script, name)};
        }
    }
    return CN_OK;
}

// An unknown name in an expression was probably meant as a sensor: what bodies and joints there are.
static void hint_sensors(scene_reader *reader, const scene_document *scene, const cn_model *model) {
    const scene_joint_entry *joint = scene->joints.item;
    const char *names[SENSORS_SHOWN];
    int32_t count = 0;
    if (!reader->error || !strstr(reader->error->message, "unknown name")) {
        return;
    }
    for (int32_t i = 0; i < model->body_count && count < SENSORS_SHOWN; i++) {
        if (model->body[i].name[0]) {
            names[count++] = model->body[i].name;
        }
    }
    for (int32_t j = 0; j < scene->joints.count && count < SENSORS_SHOWN; j++) {
        if (joint[j].def.name) {
            names[count++] = joint[j].def.name;
        }
    }
    const char *intro = model->dim == 2
                            ? "sensors are BODY_x, _y, _angle, _vx, _vy, _w and JOINT_q, _v of"
                            : "sensors are BODY_x .. _z, _vx .. _vz, _wx .. _wz and JOINT_q, _v of";
    scene_hint_list(reader, count ? intro : "no body or joint has a name for a sensor", names,
                    count);
}

cn_status scene_build_control(scene_reader *reader, const scene_document *scene, const cn_env *env,
                              cn_model *model) {
    if (scene->system || scene->first_order || scene->control.count == 0) {
        return CN_OK; // of a system, whose own they then are
    }
    sys_script_common common;
    sensor_list sensors;
    sys_script *script = NULL;
    const sys_script_names none = {NULL, 0};
    const cn_plugin **plugins = BASE_TAKE(reader->memory, const cn_plugin *, scene->plugins.count);
    if (!plugins) {
        return base_fail_memory(reader->error);
    }
    cn_status status = scene_load_plugins(reader, scene, env, model, plugins);
    if (status == CN_OK) {
        status = sensors_collect(reader, scene, model, &sensors);
    }
    if (status == CN_OK) {
        status = scene_controllers(reader, scene, plugins, NULL, &none, &none, &common);
    }
    if (status == CN_OK) {
        common.parameters = (sys_script_names){sensors.name, sensors.count};
        status = sys_script_create(env, &common, 0, false, 0, &script, reader->error);
        hint_sensors(reader, scene, model);
        status = scene_place_error(reader, status, scene->control.node);
    }
    CN_TRY(status);
    return control_keep(reader, scene, model, script, &sensors);
}
