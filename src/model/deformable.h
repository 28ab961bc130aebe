// model/deformable.h
// Deformable bodies as a run uses them.
#ifndef CAIRN_MODEL_DEFORMABLE_H
#define CAIRN_MODEL_DEFORMABLE_H

#include "body/fe/operators.h"
#include "model/model.h"

// A mesh, shared by all bodies that were described alike.
typedef struct model_mesh model_mesh;
struct model_mesh {
    cn_mesh_def def; // of a given mesh without its arrays
    fe_mesh mesh;
    double *volume;   // of each node: its share of the volume (lumped mass for density 1)
    double com[3];    // centre of mass, in the body's own frame
    double depth;     // [m] half the least extent along an axis
    double edge;      // [m] the shortest edge of a face of the surface
    model_mesh *next; // made before
};

typedef struct model_drive {
    uint32_t axes;
    const fe_group *group;
    base_signal *displacement;
} model_drive;

typedef struct model_pressure {
    const fe_group *group;
    base_signal *value;
} model_pressure;

typedef struct model_deformable {
    int32_t body, first_node; // index among the bodies, and of its first node among all nodes
    const model_mesh *shared;
    const fe_mesh *mesh;
    fe_material material;
    fe_plane plane;
    fe_mass mass;
    bool corotational, quasi_static;
    cn_candidates candidates;
    double place[9]; // R as placed: dim x dim by rows, world = R own frame
    double depth;    // of the mesh
    uint8_t *held;   // per dof, in axes of the body; NULL: none
    model_drive *drive;
    model_pressure *pressure;
    int32_t drive_count, pressure_count;
} model_deformable;

// The deformable body of an index; NULL: it is rigid.
static inline const model_deformable *model_deformable_of(const cn_model *model, int32_t body) {
    return model->deformable ? model->deformable[body] : NULL;
}

// s := R s R' of a stress xx yy zz xy yz zx; turn: R, dim x dim by rows, in 2D a turn about z.
void model_stress_to_world(int32_t dim, const double turn[9], double s[6]);

// ---- building ----

// Young's modulus, Poisson's ratio and damping of a material; all zero is fine.
cn_status model_check_elastic(const cn_material_def *def, cn_error *error);
// The body of a definition that was checked, with name and source in body.
cn_status model_add_deformable(cn_model *model, const cn_body_def *def, model_body *body,
                               cn_error *error);
// Its pose and velocity at the start, from the definition and its centre of mass.
void model_body_start(const cn_model *model, const cn_body_def *def, const model_body *body,
                      double *q, double *v);
// A force on a deformable body spreads over its mass: no point, no torque.
cn_status model_force_check(const cn_model *model, const cn_force_def *def, cn_error *error);
// What only shows when all is there: integrators and joints that cannot have deformable bodies; the
// places of the nodes.
cn_status model_deformables_check(cn_model *model, cn_error *error);
void model_deformables_destroy(cn_model *model);
// Their signals, compiled by an evaluator; false: no memory.
bool model_deformables_evaluate(const cn_model *model, base_evaluator *evaluator);

#endif
