// app/commands/info_scene.c
// cairn info of a scene: what it becomes once read, generators and includes worked in.
#include "commands/info.h"

#include "run/run_loop.h"
#include "support/facts.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MESHES_MAX 8 // that are printed one by one

// A mesh that some bodies have.
typedef struct mesh_facts {
    cn_mesh_info mesh;
    int32_t bodies;
    double size[3];           // [m] box round it
    double shortest, longest; // [m] edges of the surface
} mesh_facts;

typedef struct scene_facts {
    int32_t bodies, rigid, fixed, driven, deformable;
    int32_t nodes, elements; // of all deformable bodies
    mesh_facts meshes[MESHES_MAX];
    int32_t mesh_count, mesh_more; // more: that found no place
    int32_t shapes[CN_SHAPE_KINDS];
    double mass, deformable_mass; // [kg] of the rigid and of the deformable ones
} scene_facts;

static mesh_facts mesh_facts_of(const cn_mesh_info *mesh, int32_t dim) {
    mesh_facts out = {.mesh = *mesh, .shortest = HUGE_VAL};
    for (int32_t k = 0; k < dim; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t n = 0; n < mesh->node_count; n++) {
            low = fmin(low, mesh->nodes[dim * n + k]);
            high = fmax(high, mesh->nodes[dim * n + k]);
        }
        out.size[k] = high - low;
    }
    for (int32_t i = 0; i < mesh->per_face * mesh->face_count; i++) {
        int32_t face = i / mesh->per_face, next = (i + 1) % mesh->per_face;
        const double *a = mesh->nodes + dim * mesh->faces[i],
                     *b = mesh->nodes + dim * mesh->faces[mesh->per_face * face + next];
        double square = 0.0;
        for (int32_t k = 0; k < dim; k++) {
            square += (a[k] - b[k]) * (a[k] - b[k]);
        }
        out.shortest = fmin(out.shortest, sqrt(square));
        out.longest = fmax(out.longest, sqrt(square));
    }
    return out;
}

static void add_mesh(scene_facts *facts, const cn_mesh_info *mesh, int32_t dim) {
    facts->nodes += mesh->node_count;
    facts->elements += mesh->element_count;
    for (int32_t i = 0; i < facts->mesh_count; i++) {
        if (facts->meshes[i].mesh.nodes == mesh->nodes) { // bodies alike share their mesh
            facts->meshes[i].bodies++;
            return;
        }
    }
    if (facts->mesh_count == MESHES_MAX) {
        facts->mesh_more++;
        return;
    }
    facts->meshes[facts->mesh_count] = mesh_facts_of(mesh, dim);
    facts->meshes[facts->mesh_count++].bodies = 1;
}

static scene_facts scene_facts_find(const cn_model *model) {
    scene_facts facts = {.bodies = cn_model_body_count(model)};
    for (cn_body_id id = 1; id <= facts.bodies; id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        bool is_rigid = strcmp(body.kind, "rigid") == 0;
        facts.rigid += is_rigid;
        facts.fixed += strcmp(body.kind, "fixed") == 0;
        facts.driven += strcmp(body.kind, "driven") == 0;
        facts.mass += is_rigid ? body.mass : 0.0;
        cn_mesh_info mesh;
        if (cn_model_mesh(model, id, &mesh)) {
            facts.deformable++;
            facts.deformable_mass += body.mass;
            add_mesh(&facts, &mesh, cn_model_dim(model));
        }
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            cn_model_shape(model, id, i, &shape);
            facts.shapes[shape.kind]++;
        }
    }
    return facts;
}

static const fact_line scene_lines[] = {
    {"kind", "scene in {dim}D, {bytes} bytes", false},
    {"name", "{scene}", true},
    {"bodies", "{bodies}: {rigid} rigid ({mass} kg together), {fixed} fixed, {driven} driven",
     false},
    {"deformable",
     "{deformable} bodies ({deformable_mass} kg together), {nodes} nodes, {elements} elements",
     false},
    {NULL, NULL, false}};

static const fact_line mesh_lines[] = {
    {"mesh",
     "{elements} x {element}, {nodes} nodes, {faces} faces, {box} m, edges of {shortest} to "
     "{longest} m; of {owners}",
     false},
    {NULL, NULL, false}};

static const fact_line setting_lines[] = {
    {"mesh", "those of {mesh_more} more bodies", false},
    {"shapes", "{shapes}", false},
    {"time", "{steps} steps of {step} s to t = {until} s, frames every {frames_every} s", false},
    {"integrator", "theta {theta}", false},
    {"solver", "{solver} to {tolerance}; when a step stalls: {on_stall}", false},
    {"detection",
     "alert distance {alert} m besides what speeds add,\noverlap at the start up to {overlap} m",
     true},
    {NULL, NULL, false}};

static void put_mesh(fact_list *list, const mesh_facts *m, int32_t dim) {
    fact_text(list, "element", m->mesh.element);
    fact_int(list, "elements", m->mesh.element_count);
    fact_int(list, "nodes", m->mesh.node_count);
    fact_int(list, "faces", m->mesh.face_count);
    facts_open(list, "size", '[');
    for (int32_t k = 0; k < dim; k++) {
        fact_real(list, NULL, 4, m->size[k]);
    }
    facts_close(list, ']');
    if (dim == 3) {
        fact_say(list, "box", "%.4g x %.4g x %.4g", m->size[0], m->size[1], m->size[2]);
    } else {
        fact_say(list, "box", "%.4g x %.4g", m->size[0], m->size[1]);
    }
    fact_real(list, "shortest", 4, m->shortest);
    fact_real(list, "longest", 4, m->longest);
    fact_int(list, "bodies", m->bodies);
    fact_say(list, "owners", "%d bod%s", (int)m->bodies, m->bodies == 1 ? "y" : "ies");
}

static void put_meshes(fact_list *list, const scene_facts *facts, int32_t dim) {
    fact_int(list, "deformable", facts->deformable);
    fact_real(list, "deformable_mass", 6, facts->deformable_mass);
    if (facts->deformable > 0) {
        fact_say(list, "nodes", "%d", (int)facts->nodes);
        fact_say(list, "elements", "%d", (int)facts->elements);
    }
    facts_open(list, "meshes", '[');
    for (int32_t i = 0; i < facts->mesh_count && list->is_json; i++) {
        facts_open(list, NULL, '{');
        put_mesh(list, &facts->meshes[i], dim);
        facts_close(list, '}');
    }
    facts_close(list, ']');
    if (facts->mesh_more > 0) {
        fact_say(list, "mesh_more", "%d", (int)facts->mesh_more);
    }
}

// For people, each in a line of its own.
static void print_meshes(const fact_list *list, const scene_facts *facts, int32_t dim) {
    for (int32_t i = 0; i < facts->mesh_count && !list->is_json; i++) {
        fact_list own = facts_start(list->out, false);
        put_mesh(&own, &facts->meshes[i], dim);
        facts_print(&own, 14, mesh_lines);
        facts_end(&own);
    }
}

// How many there are of each kind: {"sphere": 3, ...} and "3 sphere ...".
static void put_shapes(fact_list *list, const scene_facts *facts) {
    char *text = format_text("%s", "");
    facts_open(list, "shapes", '{');
    for (int32_t i = 0; i < CN_SHAPE_KINDS; i++) {
        const char *kind = cn_shape_kind_text((cn_shape_kind)i);
        if (facts->shapes[i] > 0 && list->is_json) {
            fact_int(list, kind, facts->shapes[i]);
        } else if (facts->shapes[i] > 0) {
            char *longer =
                format_text("%s%s%d %s", text, text[0] ? " " : "", (int)facts->shapes[i], kind);
            free(text);
            text = longer;
        }
    }
    facts_close(list, '}');
    fact_say(list, "shapes", "%s", text);
    free(text);
}

static void put_scene(fact_list *list, const char *path, cn_model *model,
                      const scene_facts *facts) {
    const cn_settings *settings = cn_model_settings(model);
    fact_text(list, "scene", cn_model_name(model));
    fact_text(list, "kind", "scene");
    fact_text(list, "file", path);
    fact_int(list, "bytes", file_bytes(path));
    fact_int(list, "dim", cn_model_dim(model));
    fact_int(list, "bodies", facts->bodies);
    fact_int(list, "rigid", facts->rigid);
    fact_int(list, "fixed", facts->fixed);
    fact_int(list, "driven", facts->driven);
    fact_real(list, "mass", 6, facts->mass);
    put_meshes(list, facts, cn_model_dim(model));
    put_shapes(list, facts);
    fact_say(list, "steps", "%lld", (long long)steps_until(settings->until, settings->step));
    fact_real(list, "step", 6, settings->step);
    fact_real(list, "until", 6, settings->until);
    fact_real(list, "frames_every", 6, settings->frames_every);
    fact_real(list, "theta", 6, settings->theta);
    fact_text(list, "solver", settings->solver);
    fact_real(list, "tolerance", 6, settings->tolerance);
    fact_text(list, "on_stall", cn_stall_policy_text(settings->on_stall));
    fact_real(list, "alert", 4, settings->alert);
    fact_real(list, "overlap", 4, settings->overlap_max);
}

int info_scene(const char *path, bool json) {
    cn_error error = {.status = CN_OK};
    cn_model *model;
    if (cn_scene_read(NULL, path, NULL, 0, &model, &error) != CN_OK) {
        return report_error(&error);
    }
    scene_facts facts = scene_facts_find(model);
    fact_list list = facts_start(stdout, json);
    put_scene(&list, path, model, &facts);
    facts_title(&list, path);
    facts_print(&list, 14, scene_lines);
    print_meshes(&list, &facts, cn_model_dim(model));
    facts_print(&list, 14, setting_lines);
    facts_end(&list);
    cn_model_destroy(model);
    return EXIT_DONE;
}
