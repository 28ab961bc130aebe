// scene/build.c
// A scene that was read becomes a model: names are looked up, shapes flattened, generators run. An
// error that the model finds gets the place of what it is about.
#include "scene/generate/generate.h"

#include "base/arena.h"
#include "base/error.h"
#include "geom/shape.h"
#include "model/model.h"
#include "model/text.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 64   // names offered to "did you mean"
#define SETTING_MAX 64 // of a setting's name, as "time.step"

typedef struct scene_builder {
    const cn_env *env;
    scene_reader *reader;
    const scene_document *scene;
    cn_model *model;
    int32_t *material; // the model's, in the scene's order
} scene_builder;

// What a call to the model said, as an error of the file: wrong values are wrong input here.
static cn_status build_place(scene_reader *reader, cn_status status, const io_yaml *node) {
    status = status == CN_ERR_ARGUMENT ? CN_ERR_INPUT : status;
    if (reader->error && status != CN_OK && status != CN_ERR_MEMORY) {
        reader->error->status = status;
        if (!reader->error->file[0] && node) {
            base_fail_at(reader->error, node->file, node->line, node->column);
        }
    }
    return status;
}

static cn_source source_of(const io_yaml *node) {
    return (cn_source){.file = node->file, .line = node->line, .column = node->column};
}

// ---- materials and laws ----

static cn_status build_materials(scene_builder *b) {
    const scene_items *items = &b->scene->materials;
    scene_material_entry *entry = items->item;
    b->material = BASE_TAKE(b->reader->memory, int32_t, items->count);
    if (!b->material) {
        return base_fail_memory(b->reader->error);
    }
    for (int32_t i = 0; i < items->count; i++) {
        const io_yaml *name = items->node->key[i];
        if (strcmp(name->text, "*") == 0) {
            return scene_fail_node(b->reader, name, CN_ERR_INPUT,
                                   "\"*\" is any material, not the name of one");
        }
        entry[i].def.name = name->text;
        cn_status status =
            cn_model_add_material(b->model, &entry[i].def, &b->material[i], b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status build_find_material(scene_builder *b, const io_yaml *node, const char *name,
                                     int32_t *material) {
    const scene_items *items = &b->scene->materials;
    const char *names[NAMES_MAX];
    int32_t count = 0;
    for (int32_t i = 0; i < items->count; i++) {
        const char *text = items->node->key[i]->text;
        if (strcmp(text, name) == 0) {
            *material = b->material[i];
            return CN_OK;
        }
        if (count < NAMES_MAX) {
            names[count++] = text;
        }
    }
    scene_fail_node(b->reader, node, CN_ERR_INPUT, "there is no material \"%.60s\"", name);
    scene_hint_names(b->reader, "materials", name, names, count);
    return CN_ERR_INPUT;
}

static cn_status build_contacts(scene_builder *b) {
    const scene_items *items = &b->scene->contacts;
    const scene_contact_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_contact_def def = cn_contact_def_default();
        for (int j = 0; j < 2; j++) {
            int32_t material;
            def.between[j] = entry[i].between[j];
            if (strcmp(def.between[j], "*") != 0) {
                const io_yaml *node = io_yaml_get(entry[i].node, "between")->item[j];
                cn_status status = build_find_material(b, node, def.between[j], &material);
                CN_TRY(status);
            }
        }
        def.friction = entry[i].friction.at_rest;
        def.friction_dynamic = entry[i].friction.sliding;
        def.restitution = entry[i].restitution;
        def.restitution_tangent = entry[i].restitution_tangent;
        def.correction = entry[i].correction;
        def.law = (cn_law)entry[i].law;
        def.cohesion = entry[i].cohesion;
        def.tension = entry[i].tension;
        def.stiffness_normal = entry[i].stiffness.first;
        def.stiffness_tangent = entry[i].stiffness.second;
        def.fracture_energy[0] = entry[i].fracture_energy.first;
        def.fracture_energy[1] = entry[i].fracture_energy.second;
        def.softening = (cn_softening)entry[i].softening;
        def.viscosity = entry[i].viscosity;
        def.bond_area = entry[i].bond_area;
        def.bond_gap = entry[i].bond_gap;
        def.source = source_of(entry[i].node);
        cn_status status = cn_model_add_contact(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

// ---- bodies ----

// The node of the flattened shape that does not build, for the error; NULL when all do.
static const io_yaml *build_bad_shape(scene_builder *b, const scene_items *entries,
                                      const cn_shape_def *shapes, int32_t *next) {
    const scene_shape_entry *entry = entries->item;
    for (int32_t i = 0; i < entries->count; i++) {
        if (entry[i].parts.count > 0) {
            const io_yaml *bad = build_bad_shape(b, &entry[i].parts, shapes, next);
            if (bad) {
                return bad;
            }
            continue;
        }
        geom_shape shape;
        if (geom_shape_build(&shapes[(*next)++], b->reader->dim, b->reader->memory, &shape, NULL) !=
            CN_OK) {
            return entry[i].node;
        }
    }
    return NULL;
}

cn_status scene_body_def(scene_reader *reader, const scene_body_entry *entry, cn_body_def *out) {
    cn_body_def def = entry->def;
    cn_shape_def *shapes = NULL;
    if (entry->shapes.node) {
        CN_TRY(scene_shapes_flatten(reader, &entry->shapes, &shapes, &def.shape_count));
    }
    if (entry->deformable) {
        cn_deformable_def *deformable;
        CN_TRY(scene_deformable_def(reader, entry->deformable, &deformable));
        const cn_mesh_def *mesh = &deformable->mesh;
        if (mesh->kind != CN_MESH_GIVEN &&
            !(mesh->kind == CN_MESH_BOX ? mesh->size[0] > 0.0 : mesh->radius > 0.0)) {
            const io_yaml *node = entry->deformable->mesh.node;
            return scene_fail_node(reader, node->item[0], CN_ERR_INPUT, "the mesh needs \"%s\"",
                                   mesh->kind == CN_MESH_BOX ? "size" : "radius");
        }
        def.deformable = deformable;
    }
    def.name = entry->name;
    def.shapes = shapes;
    memcpy(def.position, entry->place.position, sizeof def.position);
    memcpy(def.orientation, entry->place.orientation, sizeof def.orientation);
    def.angle = entry->place.angle;
    def.lock = entry->lock.dofs;
    def.lock_body_axes = entry->lock.axes == 1;
    def.source = source_of(entry->node);
    *out = def;
    return CN_OK;
}

static cn_status build_body(scene_builder *b, const scene_body_entry *entry) {
    cn_body_def def;
    cn_body_id id;
    int32_t material;
    CN_TRY(
        build_find_material(b, io_yaml_get(entry->node, "material"), entry->material, &material));
    CN_TRY(scene_body_def(b->reader, entry, &def));
    def.material = material;
    cn_status status = cn_model_add_body(b->model, &def, &id, b->reader->error);
    if (status != CN_OK) {
        int32_t next = 0;
        const io_yaml *bad = build_bad_shape(b, &entry->shapes, def.shapes, &next);
        if (bad && b->reader->error) {
            base_fail_at(b->reader->error, bad->file, bad->line, bad->column);
        }
        return build_place(b->reader, status, entry->node);
    }
    return CN_OK;
}

static cn_status build_bodies(scene_builder *b) {
    const scene_items *items = &b->scene->bodies;
    const scene_body_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        CN_TRY(build_body(b, &entry[i]));
    }
    return CN_OK;
}

// ---- generators ----

static cn_status build_maker_body(scene_maker *maker, const cn_body_def *def) {
    scene_builder *b = maker->user;
    cn_status status = cn_model_add_body(b->model, def, &maker->last, b->reader->error);
    return build_place(b->reader, status, maker->node);
}

static cn_status build_maker_force(scene_maker *maker, const cn_force_def *def) {
    scene_builder *b = maker->user;
    cn_status status = cn_model_add_force(b->model, def, b->reader->error);
    return build_place(b->reader, status, maker->node);
}

static cn_status build_maker_joint(scene_maker *maker, const cn_joint_def *def) {
    scene_builder *b = maker->user;
    int32_t id;
    cn_status status = cn_model_add_joint(b->model, def, &id, b->reader->error);
    return build_place(b->reader, status, maker->node);
}

static cn_status build_maker_material(scene_maker *maker, const io_yaml *node, const char *name,
                                      int32_t *id) {
    return build_find_material(maker->user, node, name, id);
}

// All generators are asked for their number before any of them makes a body.
static cn_status build_count(scene_builder *b) {
    const scene_items *items = &b->scene->generators;
    const scene_generator_entry *entry = items->item;
    double total = b->scene->bodies.count;
    for (int32_t i = 0; i < items->count; i++) {
        double bodies = 0.0;
        CN_TRY(scene_generator_of(&entry[i])->count(b->reader, entry[i].params, &bodies));
        total += bodies;
        if (!(total <= SCENE_BODIES_MAX)) {
            scene_fail_node(b->reader, entry[i].node, CN_ERR_INPUT,
                            "the scene asks for %.15g bodies", total);
            base_fail_hint(b->reader->error, "at most %d are accepted", SCENE_BODIES_MAX);
            return CN_ERR_INPUT;
        }
    }
    return CN_OK;
}

// A mark where the generator's position is, which means something else in each.
static cn_status mark_position(scene_builder *b, const scene_generator_entry *entry,
                               const scene_lot *lot) {
    const scene_field *generator = &scene_generate_table.field[entry->which];
    const scene_field *position = scene_table_field(generator->table, "position");
    if (!position) {
        return CN_OK;
    }
    cn_mark mark = {
        .name = generator->key, .about = position->help, .source = source_of(entry->node)};
    memcpy(mark.position, lot->position, sizeof mark.position);
    return cn_model_add_mark(b->model, &mark, b->reader->error);
}

static cn_status build_generators(scene_builder *b) {
    const scene_items *items = &b->scene->generators;
    const scene_generator_entry *entry = items->item;
    CN_TRY(build_count(b));
    for (int32_t i = 0; i < items->count; i++) {
        const scene_lot *lot = scene_generator_lot(&entry[i]);
        scene_maker maker = {.reader = b->reader,
                             .node = entry[i].node,
                             .lot = lot,
                             .body = build_maker_body,
                             .force = build_maker_force,
                             .joint = build_maker_joint,
                             .find_material = build_maker_material,
                             .user = b};
        const io_yaml *params = entry[i].node->item[0];
        CN_TRY(build_find_material(b, io_yaml_get(params, "material"), lot->material,
                                   &maker.material));
        CN_TRY(scene_generator_of(&entry[i])->run(&maker, entry[i].params));
        CN_TRY(mark_position(b, &entry[i], lot));
    }
    return CN_OK;
}

// ---- forces, motions and joints ----

static cn_status build_find_body(scene_builder *b, const io_yaml *node, const char *name,
                                 cn_body_id *id) {
    *id = cn_model_find_body(b->model, name);
    if (*id) {
        return CN_OK;
    }
    const char *names[NAMES_MAX];
    int32_t count = 0;
    const scene_body_entry *body = b->scene->bodies.item;
    for (int32_t i = 0; i < b->scene->bodies.count && count < NAMES_MAX; i++) {
        if (body[i].name) {
            names[count++] = body[i].name;
        }
    }
    scene_fail_node(b->reader, node, CN_ERR_INPUT, "there is no body \"%.60s\"", name);
    if (strcmp(name, "world") == 0) {
        base_fail_hint(b->reader->error, "to attach something to the world, give a fixed body a "
                                         "name and use that");
        return CN_ERR_INPUT;
    }
    scene_hint_names(b->reader, "bodies", name, names, count);
    return CN_ERR_INPUT;
}

static cn_status build_inputs(scene_builder *b) {
    const sys_script_names *inputs = &b->scene->inputs;
    const io_yaml *node = io_yaml_get(b->scene->node, "inputs");
    for (int32_t i = 0; i < inputs->count; i++) {
        const sys_script_name *input = &inputs->of[i];
        if (input->value.text) {
            return scene_fail_node(b->reader, node->item[i], CN_ERR_INPUT,
                                   "the start of input \"%.60s\" must be a number", input->name);
        }
        cn_status status =
            cn_model_add_input(b->model, input->name, input->value.number, b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, node->key[i]);
        }
    }
    b->model->inputs.listed = node != NULL;
    return CN_OK;
}

static cn_status build_control(scene_builder *b) {
    return scene_build_control(b->reader, b->scene, b->env, b->model);
}

static cn_status build_forces(scene_builder *b) {
    const scene_items *items = &b->scene->forces;
    const scene_force_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_force_def def = entry[i].def;
        cn_status status =
            build_find_body(b, io_yaml_get(entry[i].node, "body"), entry[i].body, &def.body);
        CN_TRY(status);
        def.body_axes = entry[i].axes == 1;
        def.source = source_of(entry[i].node);
        status = cn_model_add_force(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status build_motions(scene_builder *b) {
    const scene_items *items = &b->scene->motions;
    const scene_motion_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_motion_def def = entry[i].def;
        cn_status status =
            build_find_body(b, io_yaml_get(entry[i].node, "body"), entry[i].body, &def.body);
        CN_TRY(status);
        def.source = source_of(entry[i].node);
        status = cn_model_add_motion(b->model, &def, b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status build_joints(scene_builder *b) {
    const scene_items *items = &b->scene->joints;
    const scene_joint_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_joint_def def = entry[i].def;
        int32_t id;
        cn_status status = CN_OK;
        for (int k = 0; k < 2 && status == CN_OK; k++) {
            status = build_find_body(b, io_yaml_get(entry[i].node, "bodies")->item[k],
                                     entry[i].bodies[k], &def.body[k]);
        }
        CN_TRY(status);
        def.source = source_of(entry[i].node);
        status = cn_model_add_joint(b->model, &def, &id, b->reader->error);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

static cn_status build_records(scene_builder *b) {
    const scene_items *items = &b->scene->records;
    const scene_record_entry *entry = items->item;
    for (int32_t i = 0; i < items->count; i++) {
        cn_status status = scene_build_record(b->reader, &entry[i], b->model);
        if (status != CN_OK) {
            return build_place(b->reader, status, entry[i].node);
        }
    }
    return CN_OK;
}

// What an error of the finished model is about: the setting that its message begins with, as in
// "time.step ...", the empty list of bodies, or the scene.
static const io_yaml *build_blamed(const scene_reader *reader, const scene_document *scene,
                                   const cn_model *model) {
    const char *message = reader->error ? reader->error->message : "";
    const char *dot = strchr(message, '.'), *space = strchr(message, ' ');
    const io_yaml *bodies = io_yaml_get(scene->node, "bodies");
    if (cn_model_body_count(model) == 0 && bodies) {
        return bodies;
    }
    if (!dot || !space || dot > space || space - message >= SETTING_MAX) {
        return scene->node;
    }
    char group[SETTING_MAX], key[SETTING_MAX];
    snprintf(group, sizeof group, "%.*s", (int)(dot - message), message);
    snprintf(key, sizeof key, "%.*s", (int)(space - dot - 1), dot + 1);
    const io_yaml *outer = io_yaml_get(scene->node, group);
    const io_yaml *inner = outer && outer->kind == IO_YAML_MAP ? io_yaml_get(outer, key) : NULL;
    return inner ? inner : outer ? outer : scene->node;
}

cn_status scene_build(scene_reader *reader, const scene_document *scene, const cn_env *env,
                      cn_model **out) {
    typedef cn_status build_step(scene_builder * builder);
    static build_step *const steps[] = {
        build_inputs,  build_materials, build_contacts, build_bodies, build_generators,
        build_control, build_forces,    build_motions,  build_joints, build_records};
    scene_builder b = {
        .reader = reader, .scene = scene, .env = env, .model = cn_model_create(env, scene->dim)};
    *out = NULL;
    if (!b.model) {
        return base_fail_memory(reader->error);
    }
    if (reader->expand) {
        b.model->name =
            base_arena_text(b.model->memory, reader->expanded_name, strlen(reader->expanded_name));
    } else {
        model_text_destroy(b.model->text);
        b.model->text = NULL;
    }
    *cn_model_settings(b.model) = scene->settings;
    const io_yaml *solver = io_yaml_get(scene->node, "solver");
    if (solver) {
        cn_model_settings(b.model)->solver_source = source_of(solver);
    }
    cn_status status = scene_check_plugins(reader, scene);
    status = status == CN_OK ? scene_load_solver(reader, scene, env, b.model) : status;
    for (int32_t i = 0; i < SCENE_COUNT(steps) && status == CN_OK; i++) {
        status = steps[i](&b);
    }
    status = status == CN_OK && !b.model->name ? base_fail_memory(reader->error) : status;
    if (status == CN_OK) {
        status = scene_build_system(reader, scene, env, b.model);
    }
    if (status == CN_OK) {
        status = cn_model_finish(b.model, reader->error);
        const io_yaml *blamed = status == CN_OK ? NULL : build_blamed(reader, scene, b.model);
        status = build_place(reader, status, blamed);
    }
    if (status != CN_OK) {
        cn_model_destroy(b.model);
        return status;
    }
    *out = b.model;
    return CN_OK;
}
