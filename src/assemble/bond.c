// assemble/bond.c
#include "assemble/bond.h"

#include "math/rotation.h"
#include "math/vec3.h"
#include "model/deformable.h"

#include <math.h>
#include <string.h>

#define RIGID_SOFTNESS 1e-9 // of W_ii: rigid points that depend on one another share their impulse

static void axes_of(int32_t dim, const double *pose, double R[9]) {
    if (dim == 2) {
        math_angle_matrix(pose[2], R);
    } else {
        math_quat_matrix(pose + 3, R);
    }
}

// A point fixed to a body at poses q.
static void point_of(const cn_model *model, const double *q, int32_t body, const double anchor[3],
                     double x[3]) {
    const double *pose = q + (int64_t)model_pose_size(model->dim) * body;
    double R[9];
    axes_of(model->dim, pose, R);
    math_mat3_apply(R, anchor, x);
    for (int32_t i = 0; i < model->dim; i++) {
        x[i] += pose[i];
    }
}

static void node_place(const cn_model *model, const double *q, const det_node_weight *part,
                       double x[3]) {
    int32_t dim = model->dim;
    int64_t node = (int64_t)model_deformable_of(model, part->body)->first_node + part->node;
    const double *u = q + model_node_pose(model, node), *start = model->node_start + dim * node;
    x[0] = x[1] = x[2] = 0.0;
    for (int32_t i = 0; i < dim; i++) {
        x[i] = start[i] + u[i];
    }
}

void asm_bond_place(const cn_model *model, const asm_bonds *bonds, int32_t bond, const double *q,
                    double normal[3], double point[3], double apart[3]) {
    const asm_bond *b = &bonds->bond[bond];
    double offset[3], x[3];
    memcpy(normal, b->normal, 3 * sizeof *normal);
    memcpy(offset, b->offset, sizeof offset);
    if (b->frame >= 0) {
        double R[9];
        axes_of(model->dim, q + (int64_t)model_pose_size(model->dim) * b->frame, R);
        math_mat3_apply(R, b->normal, normal);
        math_mat3_apply(R, b->offset, offset);
    }
    if (b->part_count == 0) {
        double other[3];
        point_of(model, q, b->candidate, b->anchor[1], x);
        point_of(model, q, b->antagonist, b->anchor[0], other);
        math_sub3(x, other, apart);
        math_sub3(apart, offset, apart);
        for (int i = 0; i < 3; i++) {
            point[i] = 0.5 * (x[i] + other[i]);
        }
        return;
    }
    point[0] = point[1] = point[2] = 0.0;
    for (int i = 0; i < 3; i++) {
        apart[i] = -offset[i];
    }
    for (int32_t k = b->part_first; k < b->part_first + b->part_count; k++) {
        const det_node_weight *part = &bonds->part[k];
        if (part->node >= 0) {
            node_place(model, q, part, x);
        } else {
            point_of(model, q, part->body, b->anchor[part->body == b->candidate], x);
        }
        math_add_scaled3(apart, part->weight, x, apart);
        if (part->body == b->candidate) {
            math_add_scaled3(point, part->weight, x, point);
        }
    }
}

void asm_bond_opening(const cn_model *model, const asm_bonds *bonds, int32_t bond, const double *q,
                      double opening[3]) {
    double normal[3], point[3], apart[3], axes[9];
    asm_bond_place(model, bonds, bond, q, normal, point, apart);
    math_contact_axes(model->dim, normal, axes);
    for (int32_t i = 0; i < 3; i++) {
        opening[i] = i < model->dim ? math_dot3(axes + 3 * i, apart) : 0.0;
    }
}

// E and s of one row.
static void row_law(const asm_assemble_opts *opts, const asm_layer *layer, double area, int32_t i,
                    double before, double diagonal, double *E, double *s) {
    double h = opts->h, theta = opts->theta, k = layer->stiffness[i], eta = layer->viscosity;
    if (isinf(k)) {
        *E = RIGID_SOFTNESS * diagonal;
        *s = layer->opening[i] / (h * theta);
        return;
    }
    double phi = layer->phi[i], c = h * theta * phi * k + theta * eta;
    *E = 1.0 / (h * area * c);
    *s = (k * (layer->opening[i] - h * (1.0 - theta) * (1.0 - phi) * before) +
          eta * (1.0 - theta) * before) /
         c;
}

// The layer of problem contact a, listed contact c.
static void fill_layer(const cn_model *model, const det_contact_list *contacts, int32_t c,
                       const double *q, const asm_assemble_opts *opts, asm_layer *layer) {
    const asm_bond *bond = &opts->bonds->bond[layer->bond];
    double d = fmin(opts->bonds->damage[layer->bond], 1.0);
    bool sound = contacts->bond[c] % 2 == 0;
    double share = sound ? 1.0 - d : d;
    layer->kind = sound ? ASM_LAYER_SOUND : ASM_LAYER_BROKEN;
    layer->viscosity = sound ? share * bond->law->viscosity : 0.0;
    asm_bond_opening(model, opts->bonds, layer->bond, q, layer->opening);
    for (int32_t i = 0; i < model->dim; i++) {
        layer->stiffness[i] = share * bond->law->stiffness[i > 0];
    }
}

static void complete(const cn_model *model, const asm_assemble_opts *opts, asm_assembled *out,
                     int32_t a) {
    asm_layer *layer = &out->layer[a];
    cn_friction *p = &out->problem;
    int32_t dim = model->dim;
    double area = opts->bonds->bond[layer->bond].area, h = opts->h, theta = opts->theta;
    const double *block = p->W.diagonal + (int64_t)dim * dim * a;
    bool sound = layer->kind == ASM_LAYER_SOUND;
    for (int32_t i = 0; i < dim; i++) {
        int64_t row = (int64_t)dim * a + i;
        double own = block[(dim + 1) * i], E = 0.0, s = 0.0;
        bool stiff = h * h * theta * theta * layer->stiffness[i] * area * own > 1.0;
        layer->phi[i] = stiff ? 1.0 : theta;
        if (sound || (i == 0 && !isinf(layer->stiffness[0]))) {
            row_law(opts, layer, area, i, out->velocity_before[row], own, &E, &s);
        } else if (i == 0) {
            s = fmax(0.0, layer->opening[0]) / h; // rigid and broken: an inelastic contact
        }
        p->q[row] += s;
        out->shift[row] += s;
        p->bounds.compliance[row] = E;
        p->bounds.lower[row] = sound ? -HUGE_VAL : 0.0;
        p->bounds.upper[row] = sound ? HUGE_VAL : 0.0;
    }
    p->bounds.boxed[a] = sound;
    p->mu[a] = sound ? 0.0 : p->mu[a];
}

void asm_bonds_complete(const cn_model *model, const det_contact_list *contacts, const double *q,
                        const asm_assemble_opts *opts, asm_assembled *out) {
    for (int32_t a = 0; a < out->contacts && opts->scheme != ASM_SHIFT_GIVEN; a++) {
        int32_t c = asm_assembled_listed(out, a), bond = contacts->bond[c];
        out->layer[a].bond = bond >= 0 ? bond / 2 : -1;
        if (bond >= 0) {
            fill_layer(model, contacts, c, q, opts, &out->layer[a]);
            complete(model, opts, out, a);
        }
    }
}

void asm_layer_ends(const asm_assembled *assembled, const asm_assemble_opts *opts, int32_t a,
                    const double *r, const double *u, double start[3], double end[3]) {
    const asm_layer *layer = &assembled->layer[a];
    int32_t dim = assembled->problem.dim;
    double h = opts->h, theta = opts->theta;
    for (int32_t i = 0; i < 3; i++) {
        int64_t row = (int64_t)dim * a + i;
        start[i] = end[i] = 0.0;
        if (i < dim) {
            start[i] = layer->opening[i] - h * (1.0 - theta) * assembled->velocity_before[row];
            end[i] = layer->opening[i] + h * theta * asm_row_after(assembled, r, u, row);
        }
    }
}
