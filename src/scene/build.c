// scene/build.c
// A scene that was read becomes a model: names are looked up, shapes flattened, generators run. An
// error that the model finds gets the place of what it is about.
#include "scene/generate/generate.h"

#include "base/arena.h"
#include "base/error.h"
#include "geom/shape.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#define CN_NAMES_MAX 64   // names offered to "did you mean"
#define CN_SETTING_MAX 64 // of a setting's name, as "time.step"

typedef struct cn_builder {
    const cn_env *env;
    cn_reader *reader;
    const cn_scene *scene;
    cn_model *model;
    int32_t *material; // the model's, in the scene's order
} cn_builder;

// What a call to the model said, as an error of the file: wrong values are wrong input here.
static cn_status cn_build_place(cn_reader *reader, cn_status status, const cn_yaml *node) {
    status = status == CN_ERR_ARGUMENT ? CN_ERR_INPUT : status;
    if (reader->error && status != CN_OK && status != CN_ERR_MEMORY) {
        reader->error->status = status;
        if (!reader->error->file[0] && node) {
            cn_fail_at(reader->error, node->file, node->line, node->column);
        }
    }
    return status;
}

static cn_source cn_source_of(const cn_yaml *node) {
    return (cn_source){.file = node->file, .line = node->line, .column = node->column};
}

// ---- materials and laws ----

static cn_status cn_build_materials(cn_builder *b) {
    const cn_items *items = &b->scene->materials;
    cn_material_entry *entry = items->item;
    b->material = CN_TAKE(b->reader->memory, int32_t, items->count);
    if (!b->material) {
        return cn_fail_memory(b->reader->error);
    }
    for (int32_t i = 0; i < items->count; i++) {
        const cn_yaml *name = items->node->key[i];
        if (strcmp(name->text, "*") == 0) {
            return cn_fail_node(b->reader, name, CN_ERR_INPUT,
                                "\"*\" is any material, not the name of one");
        }
        entry[i].def.name = name->text;
        cn_status status =
            cn_model_add_material(b->model, &entry[i].def, &b->material[i], b->reader->error);
        if (status != CN_OK) {
            return cn_build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status cn_build_find_material(cn_builder *b, const cn_yaml *node, const char *name,
                                        int32_t *material) {
    const cn_items *items = &b->scene->materials;
    const char *names[CN_NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < items->count; i++) {
        const char *text = items->node->key[i]->text;
        if (strcmp(text, name) == 0) {
            *material = b->material[i];
            return CN_OK;
        }
        if (count < CN_NAMES_MAX) {
            names[count++] = text;
        }
    }
    cn_fail_node(b->reader, node, CN_ERR_INPUT, "there is no material \"%.60s\"", name);
    if (count == 0) {
        cn_fail_hint(b->reader->error, "the scene has no materials");
    } else {
        cn_hint_nearest(b->reader, name, names, count);
    }
    return CN_ERR_INPUT;
}

static cn_status cn_build_contacts(cn_builder *b) {
    const cn_items *items = &b->scene->contacts;
    const cn_contact_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_contact_def def = cn_contact_def_default();
        for (int j = 0; j < 2; j++) {
            int32_t material;
            def.between[j] = entry[i].between[j];
            if (strcmp(def.between[j], "*") != 0) {
                const cn_yaml *node = cn_yaml_get(entry[i].node, "between")->item[j];
                cn_status status = cn_build_find_material(b, node, def.between[j], &material);
                if (status != CN_OK) {
                    return status;
                }
            }
        }
        def.friction = entry[i].friction.at_rest;
        def.friction_dynamic = entry[i].friction.sliding;
        def.restitution = entry[i].restitution;
        def.restitution_tangent = entry[i].restitution_tangent;
        def.correction = entry[i].correction;
        def.law = (cn_law)entry[i].law;
        def.source = cn_source_of(entry[i].node);
        cn_status status = cn_model_add_contact(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return cn_build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

// ---- bodies ----

// The node of the flattened shape that does not build, for the error; NULL when all do.
static const cn_yaml *cn_build_bad_shape(cn_builder *b, const cn_items *entries,
                                         const cn_shape_def *shapes, int32_t *next) {
    const cn_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        if (entry[i].parts.count > 0) {
            const cn_yaml *bad = cn_build_bad_shape(b, &entry[i].parts, shapes, next);
            if (bad) {
                return bad;
            }
            continue;
        }
        cn_shape shape;
        if (cn_shape_build(&shapes[(*next)++], b->reader->dim, b->reader->memory, &shape, NULL) !=
            CN_OK) {
            return entry[i].node;
        }
    }
    return NULL;
}

static cn_status cn_build_body(cn_builder *b, const cn_body_entry *entry) {
    cn_body_def def = entry->def;
    cn_shape_def *shapes = NULL;
    cn_body_id id;
    cn_status status = cn_build_find_material(b, cn_yaml_get(entry->node, "material"),
                                              entry->material, &def.material);
    if (status == CN_OK && entry->shapes.node) {
        status = cn_shapes_flatten(b->reader, &entry->shapes, &shapes, &def.shape_count);
    }
    if (status != CN_OK) {
        return status;
    }
    def.name = entry->name;
    def.shapes = shapes;
    memcpy(def.position, entry->place.position, sizeof def.position);
    memcpy(def.orientation, entry->place.orientation, sizeof def.orientation);
    def.angle = entry->place.angle;
    def.lock = entry->lock.dofs;
    def.lock_body_axes = entry->lock.axes == 1;
    def.source = cn_source_of(entry->node);
    status = cn_model_add_body(b->model, &def, &id, b->reader->error);
    if (status != CN_OK) {
        int32_t next = 0;
        const cn_yaml *bad = cn_build_bad_shape(b, &entry->shapes, shapes, &next);
        if (bad && b->reader->error) {
            cn_fail_at(b->reader->error, bad->file, bad->line, bad->column);
        }
        return cn_build_place(b->reader, status, entry->node);
    }
    return CN_OK;
}

static cn_status cn_build_bodies(cn_builder *b) {
    const cn_items *items = &b->scene->bodies;
    const cn_body_entry *entry = items->item;
    cn_status status = CN_OK;
    for (int32_t i = 0; i < items->count && status == CN_OK; i++) {
        status = cn_build_body(b, &entry[i]);
    }
    return status;
}

// ---- generators ----

static cn_status cn_build_maker_body(cn_maker *maker, const cn_body_def *def) {
    cn_builder *b = maker->user;
    cn_status status = cn_model_add_body(b->model, def, &maker->last, b->reader->error);
    return cn_build_place(b->reader, status, maker->node);
}

static cn_status cn_build_maker_force(cn_maker *maker, const cn_force_def *def) {
    cn_builder *b = maker->user;
    cn_status status = cn_model_add_force(b->model, def, b->reader->error);
    return cn_build_place(b->reader, status, maker->node);
}

static cn_status cn_build_maker_joint(cn_maker *maker, const cn_joint_def *def) {
    cn_builder *b = maker->user;
    int32_t id;
    cn_status status = cn_model_add_joint(b->model, def, &id, b->reader->error);
    return cn_build_place(b->reader, status, maker->node);
}

static cn_status cn_build_maker_material(cn_maker *maker, const cn_yaml *node, const char *name,
                                         int32_t *id) {
    return cn_build_find_material(maker->user, node, name, id);
}

// All generators are asked for their number before any of them makes a body.
static cn_status cn_build_count(cn_builder *b) {
    const cn_items *items = &b->scene->generators;
    const cn_generator_entry *entry = items->item;
    double total = b->scene->bodies.count;
    for (int32_t i = 0; i < items->count; i++) {
        double bodies = 0.0;
        cn_status status = cn_generator_of(&entry[i])->count(b->reader, entry[i].params, &bodies);
        if (status != CN_OK) {
            return status;
        }
        total += bodies;
        if (!(total <= CN_SCENE_BODIES_MAX)) {
            cn_fail_node(b->reader, entry[i].node, CN_ERR_INPUT, "the scene asks for %.15g bodies",
                         total);
            cn_fail_hint(b->reader->error, "at most %d are accepted", CN_SCENE_BODIES_MAX);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

static cn_status cn_build_generators(cn_builder *b) {
    const cn_items *items = &b->scene->generators;
    const cn_generator_entry *entry = items->item;
    cn_status status = cn_build_count(b);
    for (int32_t i = 0; i < items->count && status == CN_OK; i++) {
        const cn_lot *lot = cn_generator_lot(&entry[i]);
        cn_maker maker = {.reader = b->reader,
                          .node = entry[i].node,
                          .lot = lot,
                          .body = cn_build_maker_body,
                          .force = cn_build_maker_force,
                          .joint = cn_build_maker_joint,
                          .find_material = cn_build_maker_material,
                          .user = b};
        const cn_yaml *params = entry[i].node->item[0];
        status = cn_build_find_material(b, cn_yaml_get(params, "material"), lot->material,
                                        &maker.material);
        if (status == CN_OK) {
            status = cn_generator_of(&entry[i])->run(&maker, entry[i].params);
        }
    }
    return status;
}

// ---- forces, motions and joints ----

static cn_status cn_build_find_body(cn_builder *b, const cn_yaml *node, const char *name,
                                    cn_body_id *id) {
    *id = cn_model_find_body(b->model, name);
    if (*id) {
        return CN_OK;
    }
    const char *names[CN_NAMES_MAX];
    int32_t count = 0;
    const cn_body_entry *body = b->scene->bodies.item;
    for (int32_t i = 0; i < b->scene->bodies.count && count < CN_NAMES_MAX; i++) {
        if (body[i].name) {
            names[count++] = body[i].name;
        }
    }
    cn_fail_node(b->reader, node, CN_ERR_INPUT, "there is no body \"%.60s\"", name);
    cn_hint_nearest(b->reader, name, names, count);
    return CN_ERR_INPUT;
}

static cn_status cn_build_control(cn_builder *b) {
    return cn_scene_build_control(b->reader, b->scene, b->env, b->model);
}

static cn_status cn_build_forces(cn_builder *b) {
    const cn_items *items = &b->scene->forces;
    const cn_force_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_force_def def = entry[i].def;
        cn_status status =
            cn_build_find_body(b, cn_yaml_get(entry[i].node, "body"), entry[i].body, &def.body);
        if (status != CN_OK) {
            return status;
        }
        def.body_axes = entry[i].axes == 1;
        def.source = cn_source_of(entry[i].node);
        status = cn_model_add_force(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return cn_build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status cn_build_motions(cn_builder *b) {
    const cn_items *items = &b->scene->motions;
    const cn_motion_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_motion_def def = entry[i].def;
        cn_status status =
            cn_build_find_body(b, cn_yaml_get(entry[i].node, "body"), entry[i].body, &def.body);
        if (status != CN_OK) {
            return status;
        }
        def.source = cn_source_of(entry[i].node);
        status = cn_model_add_motion(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return cn_build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status cn_build_joints(cn_builder *b) {
    const cn_items *items = &b->scene->joints;
    const cn_joint_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_joint_def def = entry[i].def;
        int32_t id;
        cn_status status = CN_OK;
        for (int k = 0; k < 2 && status == CN_OK; k++) {
            status = cn_build_find_body(b, cn_yaml_get(entry[i].node, "bodies")->item[k],
                                        entry[i].bodies[k], &def.body[k]);
        }
        if (status != CN_OK) {
            return status;
        }
        def.source = cn_source_of(entry[i].node);
        status = cn_model_add_joint(b->model, &def, &id, b->reader->error);
        if (status != CN_OK) {
            return cn_build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

// What an error of the finished model is about: the setting that its message begins with, as in
// "time.step ...", the empty list of bodies, or the scene.
static const cn_yaml *cn_build_blamed(const cn_reader *reader, const cn_scene *scene,
                                      const cn_model *model) {
    const char *message = reader->error ? reader->error->message : "";
    const char *dot = strchr(message, '.'), *space = strchr(message, ' ');
    const cn_yaml *bodies = cn_yaml_get(scene->node, "bodies");
    if (cn_model_body_count(model) == 0 && bodies) {
        return bodies;
    }
    if (!dot || !space || dot > space || space - message >= CN_SETTING_MAX) {
        return scene->node;
    }
    char group[CN_SETTING_MAX], key[CN_SETTING_MAX];
    snprintf(group, sizeof group, "%.*s", (int)(dot - message), message);
    snprintf(key, sizeof key, "%.*s", (int)(space - dot - 1), dot + 1);
    const cn_yaml *outer = cn_yaml_get(scene->node, group);
    const cn_yaml *inner = outer && outer->kind == CN_YAML_MAP ? cn_yaml_get(outer, key) : NULL;
    return inner ? inner : outer ? outer : scene->node;
}

cn_status cn_scene_build(cn_reader *reader, const cn_scene *scene, const cn_env *env,
                         cn_model **out) {
    typedef cn_status cn_build_step(cn_builder * builder);
    static cn_build_step *const steps[] = {cn_build_materials,  cn_build_contacts, cn_build_bodies,
                                           cn_build_generators, cn_build_control,  cn_build_forces,
                                           cn_build_motions,    cn_build_joints};
    cn_builder b = {
        .reader = reader, .scene = scene, .env = env, .model = cn_model_create(env, scene->dim)};
    *out = NULL;
    if (!b.model) {
        return cn_fail_memory(reader->error);
    }
    *cn_model_settings(b.model) = scene->settings;
    const cn_yaml *solver = cn_yaml_get(scene->node, "solver");
    if (solver) {
        cn_model_settings(b.model)->solver_source = cn_source_of(solver);
    }
    cn_status status = cn_scene_check_plugins(reader, scene);
    for (int32_t i = 0; i < CN_COUNT(steps) && status == CN_OK; i++) {
        status = steps[i](&b);
    }
    if (status == CN_OK) {
        status = cn_scene_build_system(reader, scene, env, b.model);
    }
    if (status == CN_OK) {
        status = cn_model_finish(b.model, reader->error);
        const cn_yaml *blamed = status == CN_OK ? NULL : cn_build_blamed(reader, scene, b.model);
        status = cn_build_place(reader, status, blamed);
    }
    if (status != CN_OK) {
        cn_model_destroy(b.model);
        return status;
    }
    *out = b.model;
    return CN_OK;
}
