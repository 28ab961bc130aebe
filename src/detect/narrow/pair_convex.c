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
#define CN_FACING 0.5
// The same where the normal is of no face: it must fit both, or they would overlap where they are
// far apart.
#define CN_FACING_BOTH 0.95
// Cosine between a straight part and the normal up to which it is looked at over a face ...
#define CN_SQUARE_FACE 0.9
// ... and alone. Two straight parts touch along a line when, seen along the normal, they are
// parallel to this sine; the end that is farther along the normal is listed with its gap.
#define CN_SQUARE_LINE 0.1
#define CN_PARALLEL_LINES 1e-3
// Slacks by which a face is below the best one, so that it takes no part in a tie.
#define CN_TIES 4.0
#define CN_REACHES 32 // faces whose reach is kept between two looks at them

void cn_couple_place(const cn_placed *a, const cn_placed *b, cn_couple *out) {
    cn_convex_place(a, b->position, &out->a);
    cn_convex_place(b, b->position, &out->b);
    out->slack = CN_SLACK * (a->shape->bound + b->shape->bound);
    out->scale = fmin(a->shape->bound, b->shape->bound);
}

void cn_couple_restore(const cn_placed *b, cn_manifold *out) {
    for (int32_t k = 0; k < out->count; k++) {
        cn_add_scaled3(out->point[k].point, 1.0, b->position, out->point[k].point);
    }
}

// A point of a shape, in the axes of another.
static void cn_inner_point(const cn_convex *of, const cn_convex *seen_by, double out[3]) {
    double x[3];
    cn_mat3_apply(of->R, of->shape->hull.vertex_count ? of->shape->hull.center : of->corner, x);
    cn_add_scaled3(of->position, 1.0, x, x);
    cn_sub3(x, seen_by->position, x);
    cn_mat3_apply_transposed(seen_by->R, x, out);
}

// At least the gap over face f: that of a point of the other body, in the axes of the own one.
static double cn_face_reach(const cn_convex *own, int32_t f, const double inner[3]) {
    const cn_hull *hull = &own->shape->hull;
    return hull->face_count ? cn_dot3(hull->normal + 3 * (int64_t)f, inner) - hull->offset[f]
                            : DBL_MAX;
}

static double cn_face_gap(const cn_convex *own, const cn_convex *other, int32_t f,
                          double normal[3]) {
    double back[3], offset;
    cn_convex_face_plane(own, f, normal, &offset);
    for (int i = 0; i < 3; i++) {
        back[i] = -normal[i];
    }
    return -cn_convex_height(other, back) - offset;
}

// The face that the other body is farthest from, to slack the first of them. Faces that cannot be
// it, for a point of the other body lies too deep under them, are passed over.
static void cn_look_at_faces(const cn_couple *c, bool of_a, cn_best_face *best) {
    const cn_convex *own = of_a ? &c->a : &c->b, *other = of_a ? &c->b : &c->a;
    double inner[3], kept[CN_REACHES], least = best->face < 0 ? -DBL_MAX : best->gap,
                                       highest = -DBL_MAX;
    int32_t count = cn_convex_faces(own), facing = -1;
    cn_inner_point(other, own, inner);
    for (int32_t f = 0; f < count; f++) {
        double reach = cn_face_reach(own, f, inner);
        kept[f % CN_REACHES] = reach;
        facing = reach > highest ? f : facing;
        highest = reach > highest ? reach : highest;
    }
    cn_best_face face = {.of_a = of_a, .face = -1}; // the one looked at last
    if (facing >= 0 && highest > least) {
        face.gap = cn_face_gap(own, other, facing, face.normal);
        face.face = facing;
        least = face.gap > least ? face.gap : least;
    }
    for (int32_t f = 0; f < count; f++) {
        double reach = count <= CN_REACHES ? kept[f] : cn_face_reach(own, f, inner);
        if (reach < least - CN_TIES * c->slack) {
            continue;
        }
        if (f != face.face) {
            face.gap = cn_face_gap(own, other, f, face.normal);
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
static bool cn_still_parted(const cn_couple *c, uint32_t parting, double alert) {
    uint32_t faces_a = (uint32_t)cn_convex_faces(&c->a), faces_b = (uint32_t)cn_convex_faces(&c->b);
    if (parting == 0 || parting > faces_a + faces_b) {
        return false;
    }
    bool of_a = parting <= faces_a;
    double normal[3];
    return cn_face_gap(of_a ? &c->a : &c->b, of_a ? &c->b : &c->a,
                       (int32_t)(of_a ? parting : parting - faces_a) - 1,
                       normal) > alert + c->slack;
}

bool cn_face_contacts(const cn_couple *c, const cn_best_face *best, double alert,
                      cn_manifold *out) {
    const cn_convex *own = best->of_a ? &c->a : &c->b, *other = best->of_a ? &c->b : &c->a;
    double back[3], normal[3], lowest[3];
    cn_patch face, facing;
    for (int i = 0; i < 3; i++) {
        back[i] = -best->normal[i];
        normal[i] = best->of_a ? back[i] : best->normal[i];
    }
    cn_convex_face_patch(own, best->face, &face);
    cn_convex_patch(other, back, CN_FACING, CN_SQUARE_FACE, &facing);
    double least = best->of_a ? cn_patch_contact(&face, &facing, normal, alert, c->slack, out)
                              : cn_patch_contact(&facing, &face, normal, alert, c->slack, out);
    if (least <= best->gap + c->slack) {
        return true;
    }
    // The lowest point may lie between the corners of a rim.
    cn_convex_support(other, back, lowest);
    cn_add_scaled3(lowest, other->margin, back, lowest);
    if (!cn_convex_face_holds(own, best->face, lowest, c->slack)) {
        return false;
    }
    cn_add_scaled3(lowest, -0.5 * best->gap, best->normal, lowest);
    cn_manifold_add(out, lowest, normal, best->gap, alert, CN_FEATURE_DEEPEST);
    return true;
}

// Whether two segments are parallel as the normal sees them. A tilt towards it does not count: the
// far end must be a candidate long before it comes down.
static bool cn_lines_parallel(const cn_patch *a, const cn_patch *b, const double normal[3]) {
    double u[3], v[3], across[3];
    cn_sub3(a->corner[1].x, a->corner[0].x, u);
    cn_sub3(b->corner[1].x, b->corner[0].x, v);
    cn_cross3(u, v, across);
    return fabs(cn_dot3(across, normal)) <= CN_PARALLEL_LINES * cn_norm3(u) * cn_norm3(v);
}

void cn_axis_contacts(const cn_couple *c, const cn_axis *axis, double alert, cn_manifold *out) {
    const double *normal = axis->normal, back[3] = {-normal[0], -normal[1], -normal[2]};
    double least = DBL_MAX, point[3];
    cn_patch on_a, on_b;
    cn_convex_patch(&c->a, back, CN_FACING_BOTH, CN_SQUARE_LINE, &on_a);
    cn_convex_patch(&c->b, normal, CN_FACING_BOTH, CN_SQUARE_LINE, &on_b);
    if (on_a.count > 1 && on_b.count > 1 && on_a.count + on_b.count > 4) {
        least = cn_patch_contact(&on_a, &on_b, normal, alert, c->slack, out);
    } else if (on_a.count == 2 && on_b.count == 2 && cn_lines_parallel(&on_a, &on_b, normal)) {
        least = cn_segment_contact(&on_a, &on_b, normal, alert, c->slack, out);
    }
    if (!(least <= axis->gap + c->slack)) {
        for (int i = 0; i < 3; i++) {
            point[i] = 0.5 * (axis->on_a[i] + axis->on_b[i]);
        }
        cn_manifold_add(out, point, normal, axis->gap, alert, CN_FEATURE_DEEPEST);
    }
}

// The line of centres, or any line where the centres coincide.
static void cn_centre_line(const cn_convex *a, const cn_convex *b, double normal[3]) {
    double on_a[3], on_b[3];
    cn_mat3_apply(a->R, a->shape->middle, on_a);
    cn_add_scaled3(on_a, 1.0, a->position, on_a);
    cn_mat3_apply(b->R, b->shape->middle, on_b);
    cn_add_scaled3(on_b, 1.0, b->position, on_b);
    cn_sub3(on_a, on_b, normal);
    double length = cn_norm3(normal);
    for (int i = 0; i < 3; i++) {
        normal[i] = length > 0.0 ? normal[i] / length : (i == 2 ? 1.0 : 0.0);
    }
}

// How far apart a normal sees the two bodies.
static double cn_separation(const cn_couple *c, const double normal[3]) {
    const double back[3] = {-normal[0], -normal[1], -normal[2]};
    return -cn_convex_height(&c->a, back) - cn_convex_height(&c->b, normal);
}

void cn_couple_contacts(const cn_couple *c, const cn_best_face *best, bool settled, double alert,
                        cn_manifold *out) {
    cn_axis axis;
    double known = -DBL_MAX;
    if (best->face >= 0) {
        if (best->gap > alert) {
            return;
        }
        if (cn_face_contacts(c, best, alert, out)) {
            if (settled || best->gap > -CN_SHALLOW * c->scale) {
                return;
            }
            known = best->gap;
        }
    }
    cn_centre_line(&c->a, &c->b, axis.normal);
    if (best->face >= 0) {
        // The better start of the two: along the wall of a cylinder its faces are a bad one.
        bool face = !(cn_separation(c, axis.normal) > best->gap);
        for (int i = 0; face && i < 3; i++) {
            axis.normal[i] = best->of_a ? -best->normal[i] : best->normal[i];
        }
    }
    if (!cn_convex_axis(c, alert, known, &axis)) {
        out->count = 0;
    } else if (!(axis.gap <= known + c->slack)) {
        out->count = 0;
        cn_axis_contacts(c, &axis, alert, out);
    }
}

void cn_pair_convex(const cn_placed *a, const cn_placed *b, double alert, cn_manifold *out) {
    cn_couple c;
    cn_best_face best = {.face = -1};
    cn_couple_place(a, b, &c);
    if (cn_still_parted(&c, out->parting, alert)) {
        return;
    }
    cn_look_at_faces(&c, true, &best);
    cn_look_at_faces(&c, false, &best);
    bool parted = best.face >= 0 && best.gap > alert;
    out->parting =
        parted ? (uint32_t)(best.of_a ? 0 : cn_convex_faces(&c.a)) + 1u + (uint32_t)best.face : 0;
    cn_couple_contacts(&c, &best, false, alert, out);
    cn_couple_restore(b, out);
}
