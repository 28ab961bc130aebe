// app/commands/info_scene.c
// cairn info of a scene: what it becomes once read, generators and includes worked in.
#include "commands/info.h"

#include "run/run_loop.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <string.h>

#define MESHES_MAX 8 // that are told one by one

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

static void meshes_print(const scene_facts *facts, int32_t dim) {
    if (facts->deformable > 0) {
        printf("  deformable  %d bodies (%.6g kg together), %d nodes, %d elements\n",
               (int)facts->deformable, facts->deformable_mass, (int)facts->nodes,
               (int)facts->elements);
    }
    for (int32_t i = 0; i < facts->mesh_count; i++) {
        const mesh_facts *m = &facts->meshes[i];
        printf("  mesh        %d x %s, %d nodes, %d faces, %.4g x %.4g", (int)m->mesh.element_count,
               m->mesh.element, (int)m->mesh.node_count, (int)m->mesh.face_count, m->size[0],
               m->size[1]);
        if (dim == 3) {
            printf(" x %.4g", m->size[2]);
        }
        printf(" m, edges of %.4g to %.4g m; of %d bod%s\n", m->shortest, m->longest,
               (int)m->bodies, m->bodies == 1 ? "y" : "ies");
    }
    if (facts->mesh_more > 0) {
        printf("  mesh        those of %d more bodies\n", (int)facts->mesh_more);
    }
}

static void meshes_print_json(json_writer *json, const scene_facts *facts, int32_t dim) {
    put_int(json, "deformable", facts->deformable);
    put_real(json, "deformable_mass", facts->deformable_mass);
    put_open(json, "meshes", '[');
    for (int32_t i = 0; i < facts->mesh_count; i++) {
        const mesh_facts *m = &facts->meshes[i];
        put_open(json, NULL, '{');
        put_text(json, "element", m->mesh.element);
        put_int(json, "elements", m->mesh.element_count);
        put_int(json, "nodes", m->mesh.node_count);
        put_int(json, "faces", m->mesh.face_count);
        put_open(json, "size", '[');
        for (int32_t k = 0; k < dim; k++) {
            put_real(json, NULL, m->size[k]);
        }
        put_close(json, ']');
        put_real(json, "shortest", m->shortest);
        put_real(json, "longest", m->longest);
        put_int(json, "bodies", m->bodies);
        put_close(json, '}');
    }
    put_close(json, ']');
}

static void info_scene_print(const char *path, cn_model *model, const scene_facts *facts) {
    const cn_settings *settings = cn_model_settings(model);
    print_safe(stdout, path);
    printf("\n  kind        scene in %dD, %lld bytes\n", (int)cn_model_dim(model),
           (long long)file_bytes(path));
    print_wrapped(stdout, "  name", 14, cn_model_name(model));
    printf("  bodies      %d: %d rigid (%.6g kg together), %d fixed, %d driven\n",
           (int)facts->bodies, (int)facts->rigid, facts->mass, (int)facts->fixed,
           (int)facts->driven);
    meshes_print(facts, cn_model_dim(model));
    printf("  shapes     ");
    for (int32_t i = 0; i < CN_SHAPE_KINDS; i++) {
        if (facts->shapes[i] > 0) {
            printf(" %d %s", (int)facts->shapes[i], cn_shape_kind_text((cn_shape_kind)i));
        }
    }
    printf("\n  time        %lld steps of %g s to t = %g s, frames every %g s\n",
           (long long)steps_until(settings->until, settings->step), settings->step, settings->until,
           settings->frames_every);
    printf("  integrator  theta %g\n", settings->theta);
    printf("  solver      %s to %g; when a step stalls: %s\n", settings->solver,
           settings->tolerance, cn_stall_policy_text(settings->on_stall));
    printf("  detection   alert distance %.4g m besides what speeds add,\n"
           "              overlap at the start up to %.4g m\n",
           settings->alert, settings->overlap_max);
}

static void info_scene_print_json(const char *path, cn_model *model, const scene_facts *facts) {
    const cn_settings *settings = cn_model_settings(model);
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "scene", cn_model_name(model));
    put_text(&json, "kind", "scene");
    put_text(&json, "file", path);
    put_int(&json, "bytes", file_bytes(path));
    put_int(&json, "dim", cn_model_dim(model));
    put_int(&json, "bodies", facts->bodies);
    put_int(&json, "rigid", facts->rigid);
    put_int(&json, "fixed", facts->fixed);
    put_int(&json, "driven", facts->driven);
    put_real(&json, "mass", facts->mass);
    meshes_print_json(&json, facts, cn_model_dim(model));
    put_open(&json, "shapes", '{');
    for (int32_t i = 0; i < CN_SHAPE_KINDS; i++) {
        if (facts->shapes[i] > 0) {
            put_int(&json, cn_shape_kind_text((cn_shape_kind)i), facts->shapes[i]);
        }
    }
    put_close(&json, '}');
    put_real(&json, "step", settings->step);
    put_real(&json, "until", settings->until);
    put_real(&json, "frames_every", settings->frames_every);
    put_real(&json, "theta", settings->theta);
    put_text(&json, "solver", settings->solver);
    put_real(&json, "tolerance", settings->tolerance);
    put_text(&json, "on_stall", cn_stall_policy_text(settings->on_stall));
    put_real(&json, "alert", settings->alert);
    put_real(&json, "overlap", settings->overlap_max);
    put_close(&json, '}');
    put_end(&json);
}

int info_scene(const char *path, bool json) {
    cn_error error = {.status = CN_OK};
    cn_model *model;
    if (cn_scene_read(NULL, path, NULL, 0, &model, &error) != CN_OK) {
        return report_error(&error);
    }
    scene_facts facts = scene_facts_find(model);
    if (json) {
        info_scene_print_json(path, model, &facts);
    } else {
        info_scene_print(path, model, &facts);
    }
    cn_model_destroy(model);
    return EXIT_DONE;
}
