// detect/narrow/pair_convex.c
// Any two bounded convex bodies: first the normals of their flat faces, whose contacts are the
// overlap of the face and of what faces it; then, when none of these is the normal of largest
// separation, that normal (axis.c) and the parts of the two surfaces that it sees.
#include "detect/narrow/convex.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>

// Cosine between a reference face and the face that lies on it: farther away from each other, the
// nearest edge or point will do.
#define FACING 0.5
// The same where the normal is of no face: it must fit both, or they would overlap where they are
// far apart.
#define FACING_BOTH 0.95
// Cosine between a straight part and the normal up to which it is looked at over a face ...
#define SQUARE_FACE 0.9
// ... and alone. Two straight parts touch along a line when, seen along the normal, they are
// parallel to this sine; the end that is farther along the normal is listed with its gap.
#define SQUARE_LINE 0.1
#define PARALLEL_LINES 1e-3
// Slacks by which a face is below the best one, so that it takes no part in a tie.
#define TIES 4.0
#define REACHES 32 // faces whose reach is kept between two looks at them

void det_couple_place(const det_placed *a, const det_placed *b, det_couple *out) {
    det_convex_place(a, b->position, &out->a);
    det_convex_place(b, b->position, &out->b);
    out->slack = DET_SLACK * (a->shape->bound + b->shape->bound);
    out->scale = fmin(a->shape->bound, b->shape->bound);
}

void det_couple_restore(const det_placed *b, det_manifold *out) {
    for (int32_t k = 0; k < out->count; k++) {
        math_add_scaled3(out->point[k].point, 1.0, b->position, out->point[k].point);
    }
}

// A point of a shape, in the axes of another.
static void inner_point(const proj_convex *of, const proj_convex *seen_by, double out[3]) {
    double x[3];
    math_mat3_apply(of->R, of->shape->hull.vertex_count ? of->shape->hull.center : of->corner, x);
    math_add_scaled3(of->position, 1.0, x, x);
    math_sub3(x, seen_by->position, x);
    math_mat3_apply_transposed(seen_by->R, x, out);
}

// At least the gap over face f: that of a point of the other body, in the axes of the own one.
static double face_reach(const proj_convex *own, int32_t f, const double inner[3]) {
    const geom_hull *hull = &own->shape->hull;
    return hull->face_count ? math_dot3(hull->normal + 3 * (int64_t)f, inner) - hull->offset[f]
                            : DBL_MAX;
}

static double face_gap(const proj_convex *own, const proj_convex *other, int32_t f,
                       double normal[3]) {
    double back[3], offset;
    det_convex_face_plane(own, f, normal, &offset);
    for (int i = 0; i < 3; i++) {
        back[i] = -normal[i];
    }
    return -det_convex_height(other, back) - offset;
}

// The face that the other body is farthest from, to slack the first of them. Faces that cannot be
// it, for a point of the other body lies too deep under them, are passed over.
static void look_at_faces(const det_couple *c, bool of_a, det_best_face *best) {
    const proj_convex *own = of_a ? &c->a : &c->b, *other = of_a ? &c->b : &c->a;
    double inner[3], kept[REACHES], min = best->face < 0 ? -DBL_MAX : best->gap, highest = -DBL_MAX;
    int32_t count = det_convex_faces(own), facing = -1;
    inner_point(other, own, inner);
    for (int32_t f = 0; f < count; f++) {
        double reach = face_reach(own, f, inner);
        kept[f % REACHES] = reach;
        facing = reach > highest ? f : facing;
        highest = reach > highest ? reach : highest;
    }
    det_best_face face = {.of_a = of_a, .face = -1}; // the one looked at last
    if (facing >= 0 && highest > min) {
        face.gap = face_gap(own, other, facing, face.normal);
        face.face = facing;
        min = face.gap > min ? face.gap : min;
    }
    for (int32_t f = 0; f < count; f++) {
        double reach = count <= REACHES ? kept[f] : face_reach(own, f, inner);
        if (reach < min - TIES * c->slack) {
            continue;
        }
        if (f != face.face) {
            face.gap = face_gap(own, other, f, face.normal);
            face.face = f;
        }
        if (best->face < 0 || face.gap > best->gap + c->slack) {
            *best = face;
        }
    }
}

// Whether face `parting` of either still parts the two: a's faces are numbered from 1 on, then
// those of b. The best face has a gap that is less than any other's by no more than slack, so
// there would be no contacts.
static bool still_parted(const det_couple *c, uint32_t parting, double alert) {
    uint32_t faces_a = (uint32_t)det_convex_faces(&c->a),
             faces_b = (uint32_t)det_convex_faces(&c->b);
    if (parting == 0 || parting > faces_a + faces_b) {
        return false;
    }
    bool of_a = parting <= faces_a;
    double normal[3];
    return face_gap(of_a ? &c->a : &c->b, of_a ? &c->b : &c->a,
                    (int32_t)(of_a ? parting : parting - faces_a) - 1, normal) > alert + c->slack;
}

bool det_face_contacts(const det_couple *c, const det_best_face *best, double alert,
                       det_manifold *out) {
    const proj_convex *own = best->of_a ? &c->a : &c->b, *other = best->of_a ? &c->b : &c->a;
    double back[3], normal[3], lowest[3];
    det_patch face, facing;
    for (int i = 0; i < 3; i++) {
        back[i] = -best->normal[i];
        normal[i] = best->of_a ? back[i] : best->normal[i];
    }
    det_convex_face_patch(own, best->face, &face);
    det_convex_patch(other, back, FACING, SQUARE_FACE, &facing);
    double min = best->of_a ? det_patch_contact(&face, &facing, normal, alert, c->slack, out)
                            : det_patch_contact(&facing, &face, normal, alert, c->slack, out);
    if (min <= best->gap + c->slack) {
        return true;
    }
    // The lowest point may lie between the corners of a rim.
    det_convex_support(other, back, lowest);
    math_add_scaled3(lowest, other->margin, back, lowest);
    if (!det_convex_face_holds(own, best->face, lowest, c->slack)) {
        return false;
    }
    math_add_scaled3(lowest, -0.5 * best->gap, best->normal, lowest);
    det_manifold_add(out, lowest, normal, best->gap, alert, DET_FEATURE_DEEPEST);
    return true;
}

// Whether two segments are parallel as the normal sees them. A tilt towards it does not count: the
// far end must be a candidate long before it comes down.
static bool lines_parallel(const det_patch *a, const det_patch *b, const double normal[3]) {
    double u[3], v[3], across[3];
    math_sub3(a->corner[1].x, a->corner[0].x, u);
    math_sub3(b->corner[1].x, b->corner[0].x, v);
    math_cross3(u, v, across);
    return fabs(math_dot3(across, normal)) <= PARALLEL_LINES * math_norm3(u) * math_norm3(v);
}

void det_axis_contacts(const det_couple *c, const det_axis *axis, double alert, det_manifold *out) {
    const double *normal = axis->normal, back[3] = {-normal[0], -normal[1], -normal[2]};
    double min = DBL_MAX, point[3];
    det_patch on_a, on_b;
    det_convex_patch(&c->a, back, FACING_BOTH, SQUARE_LINE, &on_a);
    det_convex_patch(&c->b, normal, FACING_BOTH, SQUARE_LINE, &on_b);
    if (on_a.count > 1 && on_b.count > 1 && on_a.count + on_b.count > 4) {
        min = det_patch_contact(&on_a, &on_b, normal, alert, c->slack, out);
    } else if (on_a.count == 2 && on_b.count == 2 && lines_parallel(&on_a, &on_b, normal)) {
        min = det_segment_contact(&on_a, &on_b, normal, alert, c->slack, out);
    }
    if (!(min <= axis->gap + c->slack)) {
        for (int i = 0; i < 3; i++) {
            point[i] = 0.5 * (axis->on_a[i] + axis->on_b[i]);
        }
        det_manifold_add(out, point, normal, axis->gap, alert, DET_FEATURE_DEEPEST);
    }
}

// The line of centres, or any line where the centres coincide.
static void centre_line(const proj_convex *a, const proj_convex *b, double normal[3]) {
    double on_a[3], on_b[3];
    math_mat3_apply(a->R, a->shape->middle, on_a);
    math_add_scaled3(on_a, 1.0, a->position, on_a);
    math_mat3_apply(b->R, b->shape->middle, on_b);
    math_add_scaled3(on_b, 1.0, b->position, on_b);
    math_sub3(on_a, on_b, normal);
    double length = math_norm3(normal);
    for (int i = 0; i < 3; i++) {
        normal[i] = length > 0.0 ? normal[i] / length : (i == 2 ? 1.0 : 0.0);
    }
}

// How far apart a normal sees the two bodies.
static double separation(const det_couple *c, const double normal[3]) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    return -det_convex_height(&c->a, back) - det_convex_height(&c->b, normal);
}

void det_couple_contacts(const det_couple *c, const det_best_face *best, bool settled, double alert,
                         det_manifold *out) {
    det_axis axis;
    double known = -DBL_MAX;
    if (best->face >= 0) {
        if (best->gap > alert) {
            return;
        }
        if (det_face_contacts(c, best, alert, out)) {
            if (settled || best->gap > -DET_SHALLOW * c->scale) {
                return;
            }
            known = best->gap;
        }
    }
    centre_line(&c->a, &c->b, axis.normal);
    if (best->face >= 0) {
        // The better start of the two: along the wall of a cylinder its faces are a bad one.
        bool face = !(separation(c, axis.normal) > best->gap);
        for (int i = 0; face && i < 3; i++) {
            axis.normal[i] = best->of_a ? -best->normal[i] : best->normal[i];
        }
    }
    if (!det_convex_axis(c, alert, known, &axis)) {
        out->count = 0;
    } else if (!(axis.gap <= known + c->slack)) {
        out->count = 0;
        det_axis_contacts(c, &axis, alert, out);
    }
}

void det_pair_convex(const det_placed *a, const det_placed *b, double alert, det_manifold *out) {
    det_couple c;
    det_best_face best = {.face = -1};
    det_couple_place(a, b, &c);
    if (still_parted(&c, out->parting, alert)) {
        return;
    }
    look_at_faces(&c, true, &best);
    look_at_faces(&c, false, &best);
    bool parted = best.face >= 0 && best.gap > alert;
    out->parting =
        parted ? (uint32_t)(best.of_a ? 0 : det_convex_faces(&c.a)) + 1u + (uint32_t)best.face : 0;
    det_couple_contacts(&c, &best, false, alert, out);
    det_couple_restore(b, out);
}
