// model/add_deformable.c
// A deformable body from its definition: the mesh, which bodies described alike share, its material,
// and the groups of nodes that are held, driven and pressed.
#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/deformable.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define NODES_MAX 20000000 // of all deformable bodies

cn_status model_check_elastic(const cn_material_def *def, cn_error *error) {
    bool elastic = def->young != 0.0 || def->poisson != 0.0 || def->damping_mass != 0.0 ||
                   def->damping_stiffness != 0.0;
    if (!elastic) {
        return CN_OK;
    }
    cn_error why = {.status = CN_OK};
    // Density is another matter: bodies may have their mass given.
    const fe_material material = {1.0, def->young, def->poisson, def->damping_mass,
                                  def->damping_stiffness};
    cn_status status = fe_material_validate(&material, &why);
    return status == CN_OK
               ? CN_OK
               : base_fail(error, status, "material '%s': %.300s", def->name, why.message);
}

// ---- meshes ----

static const char *element_name(const cn_mesh_def *def, int32_t dim) {
    return def->element ? def->element : dim == 2 ? "q4" : "h8";
}

static bool texts_agree(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool meshes_agree(const cn_mesh_def *a, const cn_mesh_def *b) {
    return a->kind == b->kind && a->kind != CN_MESH_GIVEN && texts_agree(a->element, b->element) &&
           texts_agree(a->pattern, b->pattern) && a->radius == b->radius &&
           memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(a->cells, b->cells, sizeof a->cells) == 0;
}

static bool same_bytes(const void *a, const void *b, int64_t count, size_t size) {
    return count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

// Whether a mesh was made of the same nodes, elements and groups as a given one.
static bool given_agrees(const fe_mesh *mesh, const char *element, const cn_mesh_def *def) {
    if (strcmp(mesh->element->name, element) != 0 || mesh->nodes != def->node_count ||
        mesh->elements != def->element_count ||
        !same_bytes(mesh->node, def->nodes, (int64_t)mesh->dim * mesh->nodes, sizeof(double)) ||
        !same_bytes(mesh->corner, def->elements, (int64_t)mesh->element->nodes * mesh->elements,
                    sizeof(int32_t))) {
        return false;
    }
    const fe_group *group = mesh->group;
    for (int32_t g = 0; g < def->group_count; g++, group = group->next) {
        const cn_node_group *own = &def->groups[g];
        // Nodes of a group may be given in any order, and twice: then the mesh is rebuilt.
        if (!group || !texts_agree(group->name, own->name) || group->nodes != own->count ||
            !same_bytes(group->node, own->node, own->count, sizeof(int32_t))) {
            return false;
        }
    }
    return group == NULL;
}

static cn_status build_box(cn_model *model, const cn_mesh_def *def, const fe_element *element,
                           fe_mesh *out, cn_error *error) {
    fe_box box = {.element = element};
    CN_TRY(fe_pattern_lookup(def->pattern ? def->pattern : "diagonal", &box.pattern, error));
    memcpy(box.size, def->size, sizeof box.size);
    memcpy(box.cells, def->cells, sizeof box.cells);
    return fe_mesh_box(model->memory, &box, out, error);
}

static cn_status add_groups(cn_model *model, const cn_mesh_def *def, fe_mesh *mesh,
                            cn_error *error) {
    for (int32_t g = 0; g < def->group_count; g++) {
        const cn_node_group *group = &def->groups[g];
        const char *name;
        uint8_t *chosen = BASE_TAKE_ZERO(model->memory, uint8_t, mesh->nodes);
        if (!chosen) {
            return base_fail_memory(error);
        }
        for (int32_t k = 0; k < group->count; k++) {
            if (group->node[k] < 0 || group->node[k] >= mesh->nodes) {
                return base_fail(error, CN_ERR_INPUT, "group '%s' names node %d of %d", group->name,
                                 (int)group->node[k], (int)mesh->nodes);
            }
            chosen[group->node[k]] = 1;
        }
        CN_TRY(model_copy_text(model, group->name, &name, error));
        CN_TRY(fe_mesh_add_group(model->memory, mesh, name, chosen, error));
    }
    return CN_OK;
}

static cn_status build_given(cn_model *model, const cn_mesh_def *def, const fe_element *element,
                             fe_mesh *out, cn_error *error) {
    int64_t numbers = (int64_t)model->dim * def->node_count,
            corners = (int64_t)element->nodes * def->element_count;
    double *node = BASE_TAKE(model->memory, double, numbers);
    int32_t *corner = BASE_TAKE(model->memory, int32_t, corners);
    if (!node || !corner) {
        return base_fail_memory(error);
    }
    if (numbers > 0 && corners > 0) {
        memcpy(node, def->nodes, sizeof *node * (size_t)numbers);
        memcpy(corner, def->elements, sizeof *corner * (size_t)corners);
    }
    CN_TRY(fe_mesh_build(model->memory, model->dim, element, def->node_count, node,
                         def->element_count, corner, out, error));
    return add_groups(model, def, out, error);
}

static cn_status build_cylinder(cn_model *model, const cn_mesh_def *def, const fe_element *element,
                                fe_mesh *out, cn_error *error) {
    const fe_disk disk = {fe_element_find("q4"), def->radius, def->cells[0]};
    fe_mesh flat;
    CN_TRY(fe_mesh_disk(model->memory, &disk, &flat, error));
    const fe_extrude extrude = {element, &flat, def->size[2], def->cells[2]};
    return fe_mesh_extrude(model->memory, &extrude, out, error);
}

static cn_status build_mesh(cn_model *model, const cn_mesh_def *def, fe_mesh *out,
                            cn_error *error) {
    const fe_element *element;
    CN_TRY(fe_element_lookup(element_name(def, model->dim), &element, error));
    if (element->dim != model->dim) {
        base_fail(error, CN_ERR_INPUT, "element %s is one of %dD", element->name, element->dim);
        base_fail_hint(error, model->dim == 2 ? "in 2D there are t3, t6, q4, q4-plain and q8"
                                              : "in 3D there are tet4, tet10, h8 and h8-plain");
        return CN_ERR_INPUT;
    }
    const fe_disk disk = {element, def->radius, def->cells[0]};
    const fe_sphere sphere = {element, def->radius, def->cells[0]};
    return def->kind == CN_MESH_BOX        ? build_box(model, def, element, out, error)
           : def->kind == CN_MESH_DISK     ? fe_mesh_disk(model->memory, &disk, out, error)
           : def->kind == CN_MESH_SPHERE   ? fe_mesh_sphere(model->memory, &sphere, out, error)
           : def->kind == CN_MESH_CYLINDER ? build_cylinder(model, def, element, out, error)
                                           : build_given(model, def, element, out, error);
}

// Volumes of the nodes, their centre, and the smallest lengths of the mesh.
static bool measure_mesh(cn_arena *memory, model_mesh *out) {
    const fe_mesh *mesh = &out->mesh;
    const fe_element *e = mesh->element;
    double X[FE_DOFS_MAX], M[FE_NODES_MAX * FE_NODES_MAX], lumped[FE_NODES_MAX], total = 0.0;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    int32_t dim = mesh->dim;
    out->volume = BASE_TAKE_ZERO(memory, double, mesh->nodes);
    if (!out->volume) {
        return false;
    }
    for (int32_t k = 0; k < mesh->elements; k++) {
        fe_mesh_gather(mesh, k, mesh->node, X);
        e->mass(e, 1.0, X, M);
        e->lump(e->nodes, M, lumped);
        for (int32_t i = 0; i < e->nodes; i++) {
            out->volume[mesh->corner[e->nodes * k + i]] += lumped[i];
        }
    }
    for (int32_t n = 0; n < mesh->nodes; n++) {
        total += out->volume[n];
        for (int32_t i = 0; i < dim; i++) {
            double x = mesh->node[dim * n + i];
            out->com[i] += out->volume[n] * x;
            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
    out->depth = HUGE_VAL;
    for (int32_t i = 0; i < dim; i++) {
        out->com[i] /= total;
        out->depth = fmin(out->depth, 0.5 * (high[i] - low[i]));
    }
    out->edge = HUGE_VAL;
    for (int32_t f = 0; f < mesh->faces; f++) {
        for (int32_t i = 0; i < e->face_nodes; i++) {
            const int32_t *node = mesh->face + (int64_t)e->face_nodes * f;
            const double *a = mesh->node + (int64_t)dim * node[i];
            const double *b = mesh->node + (int64_t)dim * node[(i + 1) % e->face_nodes];
            double square = 0.0;
            for (int32_t k = 0; k < dim; k++) {
                square += (b[k] - a[k]) * (b[k] - a[k]);
            }
            out->edge = fmin(out->edge, sqrt(square));
        }
    }
    return true;
}

// The mesh of a definition: one that is there, or a new one.
static cn_status find_mesh(cn_model *model, const cn_mesh_def *def, const model_mesh **out,
                           cn_error *error) {
    for (const model_mesh *mesh = model->meshes; mesh; mesh = mesh->next) {
        if (meshes_agree(&mesh->def, def) ||
            (mesh->def.kind == CN_MESH_GIVEN && def->kind == CN_MESH_GIVEN &&
             given_agrees(&mesh->mesh, element_name(def, model->dim), def))) {
            *out = mesh;
            return CN_OK;
        }
    }
    model_mesh *fresh = BASE_TAKE_ZERO(model->memory, model_mesh, 1);
    if (!fresh) {
        return base_fail_memory(error);
    }
    fresh->def = *def;
    fresh->def.nodes = NULL;
    fresh->def.elements = NULL;
    fresh->def.groups = NULL;
    CN_TRY(model_copy_text(model, def->element, &fresh->def.element, error));
    CN_TRY(model_copy_text(model, def->pattern, &fresh->def.pattern, error));
    CN_TRY(build_mesh(model, def, &fresh->mesh, error));
    if (!measure_mesh(model->memory, fresh)) {
        return base_fail_memory(error);
    }
    fresh->next = model->meshes;
    model->meshes = fresh;
    *out = fresh;
    return CN_OK;
}

// ---- what acts on groups of nodes ----

static cn_status group_signal(cn_model *model, const char *what, const char *group,
                              const cn_signal_def *def, const cn_source *source,
                              const fe_mesh *mesh, const fe_group **found, base_signal **out,
                              cn_error *error) {
    cn_status status = fe_mesh_find_group(mesh, group ? group : "", found, error);
    if (status != CN_OK) {
        return model_blame(error, status, source, "%s", what);
    }
    cn_error fault = {0};
    *out = base_signal_create(&model->env, def, BASE_SIGNAL_VALUE, &model->signals, &fault);
    if (!*out) {
        model_blame(&fault, fault.status, def->source.file ? &def->source : source, "%s", what);
        if (error) {
            *error = fault;
        }
        return fault.status;
    }
    return CN_OK;
}

static cn_status add_drives(cn_model *model, const cn_deformable_def *def, model_deformable *out,
                            cn_error *error) {
    int32_t dofs = model->dim * out->mesh->nodes;
    if (def->drive_count == 0) {
        return CN_OK;
    }
    out->drive = BASE_TAKE_ZERO(model->memory, model_drive, def->drive_count);
    out->held = BASE_TAKE_ZERO(model->memory, uint8_t, dofs);
    if (!out->drive || !out->held) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < def->drive_count; i++) {
        const cn_node_drive *from = &def->drives[i];
        model_drive *drive = &out->drive[i];
        uint32_t all = (1u << model->dim) - 1u;
        if (!(from->axes & all) || from->axes & ~all) {
            base_fail(error, CN_ERR_INPUT, "the axes of a drive are %s",
                      model->dim == 2 ? "x and y" : "x, y and z");
            return model_blame(error, CN_ERR_INPUT, &from->source, "drive");
        }
        CN_TRY(group_signal(model, "hold or drive", from->group, &from->displacement, &from->source,
                            out->mesh, &drive->group, &drive->displacement, error));
        out->drive_count++;
        drive->axes = from->axes;
        fe_hold(out->mesh, drive->group, from->axes, out->held);
    }
    return CN_OK;
}

static cn_status add_pressures(cn_model *model, const cn_deformable_def *def, model_deformable *out,
                               cn_error *error) {
    out->pressure = BASE_TAKE_ZERO(model->memory, model_pressure, def->pressure_count);
    if (!out->pressure) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < def->pressure_count; i++) {
        const cn_pressure_def *from = &def->pressures[i];
        CN_TRY(group_signal(model, "pressure", from->group, &from->value, &from->source, out->mesh,
                            &out->pressure[i].group, &out->pressure[i].value, error));
        out->pressure_count++;
    }
    return CN_OK;
}

// Whether some node is held along some axes and free along others.
static bool is_held_in_part(const model_deformable *d, int32_t dim) {
    for (int32_t n = 0; d->held && n < d->mesh->nodes; n++) {
        int32_t sum = 0;
        for (int32_t i = 0; i < dim; i++) {
            sum += d->held[dim * n + i];
        }
        if (sum > 0 && sum < dim) {
            return true;
        }
    }
    return false;
}

static cn_status choose_strain(const cn_model *model, const cn_deformable_def *def,
                               model_deformable *out, cn_error *error) {
    bool in_part = is_held_in_part(out, model->dim);
    out->corotational =
        def->strain == CN_STRAIN_COROTATIONAL || (def->strain == CN_STRAIN_AUTO && !in_part);
    if (out->corotational && in_part) {
        base_fail(error, CN_ERR_INPUT,
                  "nodes held along some axes only do not go with corotational strain");
        base_fail_hint(error, "strain: small, or hold them along all axes");
        return CN_ERR_INPUT;
    }
    return CN_OK;
}

// ---- the body ----

static cn_status check_definition(const cn_model *model, const cn_body_def *def, cn_error *error) {
    const model_material *material = &model->material[def->material];
    const char *what = def->shape_count > 0                            ? "shape"
                       : def->fixed                                    ? "fixed"
                       : def->lock                                     ? "lock"
                       : !isnan(def->mass)                             ? "mass"
                       : !isnan(def->inertia[model->dim == 2 ? 8 : 0]) ? "inertia"
                       : !isnan(def->com[0])                           ? "center_of_mass"
                                                                       : NULL;
    if (what) {
        base_fail(error, CN_ERR_INPUT, "a deformable body does not take \"%s\"", what);
        base_fail_hint(error, def->fixed || def->lock
                                  ? "hold groups of its nodes: deformable: {hold: [...]}"
                                  : "its mesh and its material give it shape and mass");
        return CN_ERR_INPUT;
    }
    if (!(material->young > 0.0)) {
        base_fail(error, CN_ERR_INPUT, "material '%s' is not elastic", material->name);
        base_fail_hint(error, "give it young [Pa] and poisson");
        return CN_ERR_INPUT;
    }
    return material->density > 0.0
               ? CN_OK
               : base_fail(error, CN_ERR_INPUT, "material '%s' has density 0", material->name);
}

static cn_status make_deformable(cn_model *model, const cn_body_def *def, model_deformable *out,
                                 cn_error *error) {
    const cn_deformable_def *from = def->deformable;
    const model_material *material = &model->material[def->material];
    CN_TRY(find_mesh(model, &from->mesh, &out->shared, error));
    *out = (model_deformable){.body = model->body_count,
                              .first_node = model->node_count,
                              .shared = out->shared,
                              .mesh = &out->shared->mesh,
                              .material = {material->density, material->young, material->poisson,
                                           material->damping_mass, material->damping_stiffness},
                              .plane = from->plane == CN_PLANE_STRESS ? FE_PLANE_STRESS
                                                                      : FE_PLANE_STRAIN,
                              .mass = from->consistent_mass ? FE_MASS_CONSISTENT : FE_MASS_LUMPED,
                              .quasi_static = from->quasi_static,
                              .candidates = from->candidates,
                              .depth = out->shared->depth};
    if ((int64_t)model->node_count + out->mesh->nodes > NODES_MAX) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "more than %d nodes", NODES_MAX);
    }
    if (model->dim == 3 && from->candidates == CN_CANDIDATES_MIDPOINTS) {
        base_fail(error, CN_ERR_INPUT, "midpoints are candidates in 2D only");
        base_fail_hint(error, "candidates: nodes");
        return CN_ERR_INPUT;
    }
    cn_status status = add_drives(model, from, out, error);
    status = status == CN_OK ? add_pressures(model, from, out, error) : status;
    return status == CN_OK ? choose_strain(model, from, out, error) : status;
}

// Mass, inertia and bound of the undeformed body about its centre of mass.
static void weigh(const cn_model *model, const model_deformable *d, model_body *body,
                  model_inertia *inertia) {
    int32_t dim = model->dim;
    memset(inertia, 0, sizeof *inertia);
    memcpy(body->com, d->shared->com, sizeof body->com);
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        double m = d->material.density * d->shared->volume[n], r[3] = {0.0, 0.0, 0.0};
        for (int32_t i = 0; i < dim; i++) {
            r[i] = d->mesh->node[dim * n + i] - body->com[i];
        }
        double square = math_dot3(r, r);
        body->mass += m;
        body->bound = fmax(body->bound, sqrt(square));
        for (int32_t i = 0; i < 9; i++) {
            inertia->tensor[i] += m * ((i % 4 == 0 ? square : 0.0) - r[i / 3] * r[i % 3]);
        }
    }
    for (int32_t i = 0; dim == 2 && i < 8; i++) {
        inertia->tensor[i] = 0.0;
    }
}

static void destroy_deformable(model_deformable *d) {
    for (int32_t i = 0; i < d->drive_count; i++) {
        base_signal_destroy(d->drive[i].displacement);
    }
    for (int32_t i = 0; i < d->pressure_count; i++) {
        base_signal_destroy(d->pressure[i].value);
    }
}

cn_status model_add_deformable(cn_model *model, const cn_body_def *def, model_body *body,
                               cn_error *error) {
    CN_TRY(check_definition(model, def, error));
    CN_TRY(
        model_reserve(model, MODEL_ARRAY_DEFORMABLE, (int64_t)model->deformable_count + 1, error));
    model_deformable *d = BASE_TAKE_ZERO(model->memory, model_deformable, 1);
    if (!d) {
        return base_fail_memory(error);
    }
    cn_status status = make_deformable(model, def, d, error);
    if (status != CN_OK) {
        destroy_deformable(d);
        return status;
    }
    double R[9];
    int32_t index = model->body_count++, dim = model->dim;
    body->role = MODEL_BODY_DEFORMABLE;
    body->inertia = model->inertia_count++;
    weigh(model, d, body, &model->inertia[body->inertia]);
    model->body[index] = *body;
    if (body->name[0]) {
        base_names_add(&model->body_names, body->name, index);
    }
    double *q = model->q0 + (int64_t)index * model_pose_size(dim);
    model_body_start(model, def, body, q, model->v0 + (int64_t)index * model_velocity_size(dim));
    if (dim == 2) {
        math_angle_matrix(q[2], R);
    } else {
        math_quat_matrix(q + 3, R);
    }
    for (int32_t i = 0; i < dim * dim; i++) {
        d->place[i] = R[3 * (i / dim) + i % dim];
    }
    model->deformables[model->deformable_count++] = d;
    model->node_count += d->mesh->nodes;
    return CN_OK;
}

void model_deformables_destroy(cn_model *model) {
    for (int32_t i = 0; i < model->deformable_count; i++) {
        destroy_deformable(model->deformables[i]);
    }
}

bool model_deformables_evaluate(const cn_model *model, base_evaluator *evaluator) {
    bool good = true;
    for (int32_t i = 0; i < model->deformable_count; i++) {
        const model_deformable *d = model->deformables[i];
        for (int32_t k = 0; good && k < d->drive_count; k++) {
            good = base_evaluator_add(evaluator, d->drive[k].displacement);
        }
        for (int32_t k = 0; good && k < d->pressure_count; k++) {
            good = base_evaluator_add(evaluator, d->pressure[k].value);
        }
    }
    return good;
}

static bool signal_is_given(const cn_signal_def *def) {
    return def->expression || def->count > 0 || def->constant != 0.0;
}

cn_status model_force_check(const cn_model *model, const cn_force_def *def, cn_error *error) {
    bool turns = !isnan(def->point[0]) || def->body_axes;
    for (int32_t i = model->dim == 2 ? 2 : 0; i < 3; i++) {
        turns = turns || signal_is_given(&def->torque[i]);
    }
    if (turns) {
        base_fail(error, CN_ERR_UNSUPPORTED,
                  "on a deformable body a force has neither torque, point nor axes of the body: it "
                  "spreads over the mass");
        base_fail_hint(error, "press or drive groups of its nodes: deformable: {pressure: [...]}");
        return CN_ERR_UNSUPPORTED;
    }
    return CN_OK;
}

// ---- the whole ----

// Integrators and joints that cannot have deformable bodies.
static cn_status check_company(const cn_model *model, const model_deformable *d, cn_error *error) {
    const cn_settings *settings = &model->settings;
    if (strcmp(settings->scheme ? settings->scheme : "moreau-jean", "moreau-jean") != 0) {
        return base_fail(error, CN_ERR_UNSUPPORTED,
                         "deformable bodies need the integrator moreau-jean, not %.40s",
                         settings->scheme);
    }
    if (settings->error > 0.0) {
        return base_fail(error, CN_ERR_UNSUPPORTED,
                         "deformable bodies cannot have steps cut to an error yet");
    }
    if (d->quasi_static && settings->theta != 1.0) {
        base_fail(error, CN_ERR_INPUT, "a quasi-static body needs theta = 1, not %g",
                  settings->theta);
        base_fail_hint(error, "integrator: {theta: 1}");
        return CN_ERR_INPUT;
    }
    for (int32_t j = 0; j < model->joint_count; j++) {
        const model_joint *joint = &model->joint[j];
        if (joint->body[0] == d->body || joint->body[1] == d->body) {
            base_fail(error, CN_ERR_UNSUPPORTED,
                      "joints of deformable bodies are not available yet");
            base_fail_hint(error, "hold or drive groups of its nodes instead");
            base_fail_at(error, joint->source.file, joint->source.line, joint->source.column);
            return CN_ERR_UNSUPPORTED;
        }
    }
    return CN_OK;
}

// Where the nodes of a body are placed.
static void place_nodes(cn_model *model, const model_deformable *d) {
    int32_t dim = model->dim;
    const double *q = model->q0 + (int64_t)model_pose_size(dim) * d->body;
    const double *com = model->body[d->body].com;
    for (int32_t n = 0; n < d->mesh->nodes; n++) {
        double *x = model->node_start + (int64_t)dim * (d->first_node + n);
        for (int32_t i = 0; i < dim; i++) {
            x[i] = q[i];
            for (int32_t k = 0; k < dim; k++) {
                x[i] += d->place[dim * i + k] * (d->mesh->node[dim * n + k] - com[k]);
            }
        }
    }
}

cn_status model_deformables_check(cn_model *model, cn_error *error) {
    if (model->deformable_count == 0) {
        return CN_OK;
    }
    model->deformable = BASE_TAKE_ZERO(model->memory, model_deformable *, model->body_count);
    model->node_start = BASE_TAKE(model->memory, double, (int64_t)model->dim * model->node_count);
    if (!model->deformable || !model->node_start) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < model->deformable_count; i++) {
        model_deformable *d = model->deformables[i];
        cn_status status = check_company(model, d, error);
        if (status != CN_OK) {
            const model_body *body = &model->body[d->body];
            return model_blame_body(error, status, &body->source, body->name, d->body);
        }
        model->deformable[d->body] = d;
        place_nodes(model, d);
    }
    return CN_OK;
}

bool cn_model_mesh(const cn_model *model, cn_body_id id, cn_mesh_info *out) {
    if (!model || !out || id < 1 || id > model->body_count || !model_deformable_of(model, id - 1)) {
        return false;
    }
    const model_deformable *d = model_deformable_of(model, id - 1);
    *out = (cn_mesh_info){.element = d->mesh->element->name,
                          .node_count = d->mesh->nodes,
                          .element_count = d->mesh->elements,
                          .per_element = d->mesh->element->nodes,
                          .face_count = d->mesh->faces,
                          .per_face = d->mesh->element->face_nodes,
                          .nodes = d->mesh->node,
                          .elements = d->mesh->corner,
                          .faces = d->mesh->face,
                          .first_node = d->first_node};
    return true;
}

int32_t cn_model_node_count(const cn_model *model) {
    return model ? model->node_count : 0;
}
