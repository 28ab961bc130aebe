// detect/mortar_space.c
// Dual mortar rows in 3D (detect/mortar.h): every candidate face is a plane through its centre, on
// which the antagonist faces are projected and cut out; what is left is integrated in triangles with
// a rule of degree 4, exact for the products of shape functions of parallelograms and triangles.
//
// Reference: Puso and Laursen, Comput. Methods Appl. Mech. Engrg. 193, 2004.
#include "detect/mortar.h"

#include "base/arena.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define CORNERS 4      // of a face, at most
#define CUT_CORNERS 8  // of two convex faces cut with one another
#define AREA_MIN 1e-9  // of the candidate face: smaller parts are rounding
#define PIVOT_MIN 1e-9 // of the diagonal: below it the shape functions are dependent on the overlap
#define WEIGHT_MIN 1e-13 // meshes that match leave round-off where there is nothing
#define MAP_ROUNDS 12    // of Newton's method for natural coordinates; parallelograms need one
#define MAP_DONE 1e-14

// A rule of degree 4 on a triangle: two orbits of three points (Strang and Fix 1973).
#define RULE_POINTS 6
static const double rule_near[2] = {0.445948490915964886318329253883,
                                    0.091576213509770743459571463402};
static const double rule_weight[2] = {0.223381589678011465910345063, 0.109951743655321867423};

// A face seen in the plane of a candidate face.
typedef struct flat_face {
    int32_t size;
    const int32_t *node;
    double at[CORNERS][2], height[CORNERS]; // above the plane, along its normal
} flat_face;

typedef struct plane {
    double centre[3], normal[3], t1[3], t2[3];
    double area;
} plane;

typedef struct polygon {
    int32_t corners;
    double corner[CUT_CORNERS + 1][2];
} polygon;

// A part of a candidate face that an antagonist face covers.
typedef struct cover {
    int32_t antagonist;
    polygon shape;
    double area, distance; // |gap| at its centre
} cover;

typedef struct weight_entry weight_entry;
struct weight_entry {
    int32_t node;
    double weight;
    weight_entry *next;
};

// The row of a candidate node so far.
typedef struct row_sum {
    double area, full, gap;
    double normal[3];
    weight_entry *first; // antagonist nodes ascending: int psi_j N_k
    int32_t count;
} row_sum;

typedef struct space_call {
    const det_surface *candidate, *antagonist;
    double alert, depth;
    cn_arena *memory;
    row_sum *sum;
    cover *covers; // of the face under way
    int32_t *near; // faces of the antagonist
    bool room;
} space_call;

static const int32_t *nodes_of(const det_surface *s, int32_t face) {
    return s->mesh->face + (int64_t)s->mesh->element->face_nodes * face;
}

// ---- planes and projections ----

static bool plane_of(const det_surface *s, int32_t face, plane *out) {
    int32_t size = s->mesh->element->face_nodes;
    const int32_t *node = nodes_of(s, face);
    const double *x[CORNERS] = {NULL};
    double a[3], b[3];
    memset(out->centre, 0, sizeof out->centre);
    for (int32_t k = 0; k < size; k++) {
        x[k] = s->x + 3 * (int64_t)node[k];
        math_add_scaled3(out->centre, 1.0 / size, x[k], out->centre);
    }
    math_sub3(x[size == 4 ? 2 : 1], x[0], a);
    math_sub3(x[size == 4 ? 3 : 2], x[size == 4 ? 1 : 0], b);
    math_cross3(a, b, out->normal);
    double twice = math_norm3(out->normal);
    if (!(twice > 0.0)) {
        return false;
    }
    out->area = 0.5 * twice;
    for (int i = 0; i < 3; i++) {
        out->normal[i] /= twice;
    }
    math_tangents3(out->normal, out->t1, out->t2);
    return true;
}

// reversed: faces that look at one another run the other way round; then both are counter-clockwise.
static void flatten(const det_surface *s, int32_t face, const plane *p, flat_face *out) {
    out->size = s->mesh->element->face_nodes;
    out->node = nodes_of(s, face);
    for (int32_t k = 0; k < out->size; k++) {
        double r[3];
        math_sub3(s->x + 3 * (int64_t)out->node[k], p->centre, r);
        out->at[k][0] = math_dot3(r, p->t1);
        out->at[k][1] = math_dot3(r, p->t2);
        out->height[k] = math_dot3(r, p->normal);
    }
}

static void polygon_of(const flat_face *face, bool reversed, polygon *out) {
    out->corners = face->size;
    for (int32_t k = 0; k < face->size; k++) {
        memcpy(out->corner[k], face->at[reversed ? face->size - 1 - k : k], sizeof out->corner[k]);
    }
}

static double cross2(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double polygon_area(const polygon *p) {
    double twice = 0.0;
    for (int32_t k = 2; k < p->corners; k++) {
        twice += cross2(p->corner[0], p->corner[k - 1], p->corner[k]);
    }
    return 0.5 * twice;
}

// The part of a convex polygon within another one, both counter-clockwise (Sutherland and Hodgman).
static void cut(const polygon *with, polygon *p) {
    for (int32_t k = 0; k < with->corners && p->corners > 0; k++) {
        const double *a = with->corner[k], *b = with->corner[(k + 1) % with->corners];
        polygon out = {.corners = 0};
        for (int32_t i = 0; i < p->corners; i++) {
            const double *u = p->corner[i], *v = p->corner[(i + 1) % p->corners];
            double fu = cross2(a, b, u), fv = cross2(a, b, v);
            if (fu >= 0.0 && out.corners <= CUT_CORNERS) {
                memcpy(out.corner[out.corners++], u, sizeof out.corner[0]);
            }
            if ((fu >= 0.0) != (fv >= 0.0) && out.corners <= CUT_CORNERS) {
                double t = fu / (fu - fv);
                out.corner[out.corners][0] = u[0] + t * (v[0] - u[0]);
                out.corner[out.corners++][1] = u[1] + t * (v[1] - u[1]);
            }
        }
        *p = out;
    }
}

// Shape functions of a face at a point of the plane.
static void shape_at(const flat_face *f, const double y[2], double N[CORNERS]) {
    if (f->size == 3) {
        double all = cross2(f->at[0], f->at[1], f->at[2]);
        N[1] = cross2(f->at[0], y, f->at[2]) / all;
        N[2] = cross2(f->at[0], f->at[1], y) / all;
        N[0] = 1.0 - N[1] - N[2];
        return;
    }
    double xi = 0.0, eta = 0.0;
    for (int round = 0; round <= MAP_ROUNDS; round++) {
        const double a = 0.25 * (1.0 - xi), b = 0.25 * (1.0 + xi), c = 1.0 - eta, d = 1.0 + eta;
        N[0] = a * c;
        N[1] = b * c;
        N[2] = b * d;
        N[3] = a * d;
        const double nx[4] = {-0.25 * c, 0.25 * c, 0.25 * d, -0.25 * d}, ny[4] = {-a, -b, b, a};
        double r[2] = {y[0], y[1]}, J[4] = {0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 2; i++) {
                r[i] -= N[k] * f->at[k][i];
                J[2 * i] += nx[k] * f->at[k][i];
                J[2 * i + 1] += ny[k] * f->at[k][i];
            }
        }
        double det = J[0] * J[3] - J[1] * J[2];
        double step[2] = {(J[3] * r[0] - J[1] * r[1]) / det, (J[0] * r[1] - J[2] * r[0]) / det};
        if (!(fabs(step[0]) + fabs(step[1]) > MAP_DONE)) {
            return;
        }
        xi = fmax(-2.0, fmin(2.0, xi + step[0]));
        eta = fmax(-2.0, fmin(2.0, eta + step[1]));
    }
}

static double height_at(const flat_face *f, const double N[CORNERS]) {
    double height = 0.0;
    for (int32_t k = 0; k < f->size; k++) {
        height += N[k] * f->height[k];
    }
    return height;
}

// ---- what covers a face ----

static double gap_at(const flat_face *own, const flat_face *other, const double y[2]) {
    double N[CORNERS], phi[CORNERS];
    shape_at(own, y, phi);
    shape_at(other, y, N);
    return height_at(other, N) - height_at(own, phi);
}

static void range_of(const double *value, int32_t stride, int32_t count, double range[2]) {
    range[0] = range[1] = value[0];
    for (int32_t k = 1; k < count; k++) {
        double x = value[(int64_t)stride * k];
        range[0] = x < range[0] ? x : range[0];
        range[1] = x > range[1] ? x : range[1];
    }
}

// Whether the boxes round two faces in the plane touch, and their heights are within reach.
static bool is_near(const space_call *call, const flat_face *own, const flat_face *other) {
    double a[2], b[2];
    range_of(own->height, 1, own->size, a);
    range_of(other->height, 1, other->size, b);
    bool near = b[0] - a[1] <= call->alert && b[1] - a[0] >= -call->depth;
    for (int i = 0; i < 2 && near; i++) {
        range_of(&own->at[0][i], 2, own->size, a);
        range_of(&other->at[0][i], 2, other->size, b);
        near = a[0] <= b[1] && b[0] <= a[1];
    }
    return near;
}

static bool find_cover(const space_call *call, const plane *p, const flat_face *own,
                       int32_t antagonist, cover *out) {
    plane facing;
    flat_face other;
    flatten(call->antagonist, antagonist, p, &other);
    if (!is_near(call, own, &other) || !plane_of(call->antagonist, antagonist, &facing) ||
        math_dot3(p->normal, facing.normal) > DET_FACING_COS) {
        return false;
    }
    polygon with;
    polygon_of(own, false, &with);
    polygon_of(&other, true, &out->shape);
    cut(&with, &out->shape);
    out->area = out->shape.corners > 2 ? polygon_area(&out->shape) : 0.0;
    if (!(out->area > AREA_MIN * p->area)) {
        return false;
    }
    double low = HUGE_VAL, high = -HUGE_VAL, centre[2] = {0.0, 0.0};
    for (int32_t k = 0; k < out->shape.corners; k++) {
        double gap = gap_at(own, &other, out->shape.corner[k]);
        low = fmin(low, gap);
        high = fmax(high, gap);
        for (int i = 0; i < 2; i++) {
            centre[i] += out->shape.corner[k][i] / out->shape.corners;
        }
    }
    out->antagonist = antagonist;
    out->distance = fabs(gap_at(own, &other, centre));
    return low <= call->alert && high >= -call->depth;
}

// Of parts that cover one another the nearer stays; those of neighbouring faces only touch.
static int32_t resolve_cover(cover *list, int32_t count, double area) {
    for (int32_t i = 1; i < count; i++) {
        cover moved = list[i];
        int32_t j = i;
        for (; j > 0 && (list[j - 1].distance > moved.distance ||
                         (list[j - 1].distance == moved.distance &&
                          list[j - 1].antagonist > moved.antagonist));
             j--) {
            list[j] = list[j - 1];
        }
        list[j] = moved;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        bool covered = false;
        for (int32_t j = 0; j < kept && !covered; j++) {
            polygon common = list[i].shape;
            cut(&list[j].shape, &common);
            double shared = common.corners > 2 ? polygon_area(&common) : 0.0;
            covered = shared > AREA_MIN * area && shared > 1e-3 * list[i].area;
        }
        if (!covered) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

// ---- integrals ----

typedef struct face_point {
    double w, gap, phi[CORNERS], N[CORNERS];
} face_point;

typedef void use_point(void *user, const face_point *point);

static void over_cover(const flat_face *own, const flat_face *other, const polygon *p,
                       use_point *use, void *user) {
    for (int32_t k = 2; k < p->corners; k++) {
        const double *c[3] = {p->corner[0], p->corner[k - 1], p->corner[k]};
        double area = 0.5 * cross2(c[0], c[1], c[2]);
        for (int g = 0; g < RULE_POINTS; g++) {
            double near = rule_near[g / 3], y[2];
            for (int i = 0; i < 2; i++) {
                y[i] = near * (c[0][i] + c[1][i] + c[2][i]) + (1.0 - 3.0 * near) * c[g % 3][i];
            }
            face_point point = {.w = area * rule_weight[g / 3]};
            shape_at(own, y, point.phi);
            shape_at(other, y, point.N);
            point.gap = height_at(other, point.N) - height_at(own, point.phi);
            use(user, &point);
        }
    }
}

typedef struct face_integrals {
    int32_t size, other_size;
    double M[CORNERS * CORNERS]; // int phi_j phi_k
    double d[CORNERS];           // int phi_j
    double gap[CORNERS];         // int phi_j g, then int psi_j g
    double N[CORNERS * CORNERS]; // int phi_j N_k over one cover, by rows of j
} face_integrals;

static void add_own(void *user, const face_point *point) {
    face_integrals *f = user;
    for (int32_t j = 0; j < f->size; j++) {
        f->d[j] += point->w * point->phi[j];
        f->gap[j] += point->w * point->phi[j] * point->gap;
        for (int32_t k = 0; k < f->size; k++) {
            f->M[CORNERS * j + k] += point->w * point->phi[j] * point->phi[k];
        }
    }
}

static void add_other(void *user, const face_point *point) {
    face_integrals *f = user;
    for (int32_t j = 0; j < f->size; j++) {
        for (int32_t k = 0; k < f->other_size; k++) {
            f->N[CORNERS * j + k] += point->w * point->phi[j] * point->N[k];
        }
    }
}

// M := L of M = L L'. false: the shape functions are dependent there.
static bool factorise(face_integrals *f) {
    for (int32_t j = 0; j < f->size; j++) {
        double *row = f->M + CORNERS * j, full = row[j];
        for (int32_t k = 0; k <= j; k++) {
            const double *above = f->M + CORNERS * k;
            double sum = row[k];
            for (int32_t i = 0; i < k; i++) {
                sum -= row[i] * above[i];
            }
            if (k < j) {
                row[k] = sum / above[k];
            } else if (sum > PIVOT_MIN * full) {
                row[j] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

// x := diag(d) M^-1 x: from integrals with phi to integrals with psi. x by rows, CORNERS apart.
static void make_dual(const face_integrals *f, int32_t columns, int32_t stride, double *x) {
    for (int32_t c = 0; c < columns; c++) {
        for (int32_t j = 0; j < f->size; j++) {
            for (int32_t i = 0; i < j; i++) {
                x[stride * j + c] -= f->M[CORNERS * j + i] * x[stride * i + c];
            }
            x[stride * j + c] /= f->M[CORNERS * j + j];
        }
        for (int32_t j = f->size - 1; j >= 0; j--) {
            for (int32_t i = j + 1; i < f->size; i++) {
                x[stride * j + c] -= f->M[CORNERS * i + j] * x[stride * i + c];
            }
            x[stride * j + c] /= f->M[CORNERS * j + j];
        }
        for (int32_t j = 0; j < f->size; j++) {
            x[stride * j + c] *= f->d[j];
        }
    }
}

// Adds to the weight of an antagonist node in a row, whose list ascends.
static void add_weight(space_call *call, row_sum *sum, int32_t node, double weight) {
    weight_entry **at = &sum->first;
    while (*at && (*at)->node < node) {
        at = &(*at)->next;
    }
    if (*at && (*at)->node == node) {
        (*at)->weight += weight;
        return;
    }
    weight_entry *own = BASE_TAKE(call->memory, weight_entry, 1);
    call->room = call->room && own;
    if (own) {
        *own = (weight_entry){node, weight, *at};
        *at = own;
        sum->count++;
    }
}

static void add_face(space_call *call, const plane *p, const flat_face *own, int32_t covers) {
    face_integrals f = {.size = own->size,
                        .other_size = call->antagonist->mesh->element->face_nodes};
    double covered = 0.0;
    for (int32_t k = 0; k < covers; k++) {
        flat_face other;
        flatten(call->antagonist, call->covers[k].antagonist, p, &other);
        over_cover(own, &other, &call->covers[k].shape, add_own, &f);
        covered += call->covers[k].area;
    }
    if (!(covered > DET_MORTAR_SHARE_MIN * p->area) || !factorise(&f)) {
        return;
    }
    make_dual(&f, 1, 1, f.gap);
    for (int32_t j = 0; j < f.size; j++) {
        row_sum *sum = call->sum + own->node[j];
        sum->area += f.d[j];
        sum->full += p->area / f.size;
        sum->gap += f.gap[j];
        math_add_scaled3(sum->normal, f.d[j], p->normal, sum->normal);
    }
    for (int32_t k = 0; k < covers; k++) {
        flat_face other;
        flatten(call->antagonist, call->covers[k].antagonist, p, &other);
        memset(f.N, 0, sizeof f.N);
        over_cover(own, &other, &call->covers[k].shape, add_other, &f);
        make_dual(&f, f.other_size, CORNERS, f.N);
        for (int32_t j = 0; j < f.size; j++) {
            for (int32_t l = 0; l < f.other_size; l++) {
                add_weight(call, call->sum + own->node[j], other.node[l], f.N[CORNERS * j + l]);
            }
        }
    }
}

// ---- rows ----

// The antagonist faces that come within reach of a candidate face.
static int32_t faces_near(const space_call *call, int32_t face) {
    const fe_mesh *mesh = call->candidate->mesh, *other = call->antagonist->mesh;
    const int32_t *node = nodes_of(call->candidate, face);
    double low[3], high[3], reach = fmax(call->alert, call->depth);
    for (int i = 0; i < 3; i++) {
        low[i] = HUGE_VAL;
        high[i] = -HUGE_VAL;
        for (int32_t k = 0; k < mesh->element->face_nodes; k++) {
            low[i] = fmin(low[i], call->candidate->x[3 * (int64_t)node[k] + i] - reach);
            high[i] = fmax(high[i], call->candidate->x[3 * (int64_t)node[k] + i] + reach);
        }
    }
    if (call->antagonist->tree) {
        return det_surface_tree_near(call->antagonist->tree, call->antagonist->box, low, high,
                                     call->near);
    }
    for (int32_t f = 0; f < other->faces; f++) {
        call->near[f] = f;
    }
    return other->faces;
}

static void find_face(space_call *call, int32_t face) {
    plane p;
    flat_face own;
    int32_t near = faces_near(call, face), covers = 0;
    if (near == 0 || !plane_of(call->candidate, face, &p)) {
        return;
    }
    flatten(call->candidate, face, &p, &own);
    for (int32_t k = 0; k < near; k++) {
        covers += find_cover(call, &p, &own, call->near[k], call->covers + covers);
    }
    covers = resolve_cover(call->covers, covers, p.area);
    if (covers > 0) {
        add_face(call, &p, &own, covers);
    }
}

static void put_row(const space_call *call, int32_t node, const row_sum *sum, det_rows *out) {
    int32_t row = out->rows++;
    int64_t at = out->start[row];
    double size = math_norm3(sum->normal);
    out->key[row] = node;
    out->gap[row] = sum->gap / sum->area;
    out->length[row] = sum->area;
    out->weight[at++] = (det_node_weight){call->candidate->body, node, 1.0};
    for (const weight_entry *k = sum->first; k; k = k->next) {
        if (fabs(k->weight) > WEIGHT_MIN * sum->area) {
            out->weight[at++] =
                (det_node_weight){call->antagonist->body, k->node, -k->weight / sum->area};
        }
    }
    for (int i = 0; i < 3; i++) {
        out->point[3 * (int64_t)row + i] = call->candidate->x[3 * (int64_t)node + i];
        out->normal[3 * (int64_t)row + i] = -sum->normal[i] / size;
    }
    out->start[row + 1] = at;
}

static bool is_row(const row_sum *sum) {
    return sum->area > DET_MORTAR_SHARE_MIN * sum->full && math_norm3(sum->normal) > 0.0;
}

cn_status det_mortar_rows_in_space(const det_surface *candidate, const det_surface *antagonist,
                                   double alert, double depth, cn_arena *memory, det_rows *out) {
    space_call call = {.candidate = candidate,
                       .antagonist = antagonist,
                       .alert = alert,
                       .depth = depth,
                       .memory = memory,
                       .sum = BASE_TAKE_ZERO(memory, row_sum, candidate->mesh->nodes),
                       .covers = BASE_TAKE(memory, cover, antagonist->mesh->faces),
                       .near = BASE_TAKE(memory, int32_t, antagonist->mesh->faces),
                       .room = true};
    int64_t rows = 0, weights = 0;
    if (!call.sum || !call.covers || !call.near) {
        return CN_ERR_MEMORY;
    }
    for (int32_t f = 0; f < candidate->mesh->faces; f++) {
        find_face(&call, f);
    }
    for (int32_t n = 0; n < candidate->mesh->nodes; n++) {
        rows += is_row(call.sum + n);
        weights += is_row(call.sum + n) ? 1 + call.sum[n].count : 0;
    }
    if (!call.room || det_rows_take(memory, 3, rows, weights, out) != CN_OK) {
        return CN_ERR_MEMORY;
    }
    for (int32_t n = 0; n < candidate->mesh->nodes; n++) {
        if (is_row(call.sum + n)) {
            put_row(&call, n, call.sum + n, out);
        }
    }
    return CN_OK;
}
