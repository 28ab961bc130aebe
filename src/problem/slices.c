// problem/slices.c
// Contacts are listed by their bodies, so those of a slice lie together but for the ones that reach
// into it from bodies of higher numbers: as many as a few layers of a packing have.
#include "problem/slices.h"

#include "base/parallel.h"

#define CN_SLICES_WORK 1.75 // contacts looked at, over contacts, above which slices do not pay

// The contacts from the first to the last that touches a body of a slice. Bodies that do not answer
// to impulses have nothing to add up, and often touch everything.
static void cn_slices_reach(const cn_ball_map *balls, int32_t contacts, int shift,
                            cn_slice slice[CN_SLICES_MAX]) {
    for (int32_t a = 0; a < contacts; a++) {
        for (int side = 0; side < 2; side++) {
            int32_t body = balls->body[2 * (int64_t)a + side];
            const double *light = balls->light + 2 * (int64_t)body;
            cn_slice *own = &slice[body >> shift];
            if (light[0] != 0.0 || light[1] != 0.0) {
                own->contact = own->contact < a ? own->contact : a;
                own->contact_end = a + 1;
            }
        }
    }
}

int32_t cn_slices_cut(const cn_env *env, const cn_ball_map *balls, int32_t contacts,
                      cn_slice slice[CN_SLICES_MAX]) {
    slice[0] = (cn_slice){0, balls->bodies, 0, contacts};
    if (cn_thread_count(env) < 2 || contacts <= CN_RANGE) {
        return 1;
    }
    int shift = 0;
    while ((balls->bodies - 1) >> shift >= CN_SLICES_MAX) {
        shift++;
    }
    int32_t count = ((balls->bodies - 1) >> shift) + 1;
    for (int32_t k = 0; k < count; k++) {
        int32_t end = k + 1 < count ? (k + 1) << shift : balls->bodies;
        slice[k] = (cn_slice){k << shift, end, contacts, 0};
    }
    cn_slices_reach(balls, contacts, shift, slice);
    double work = 0.0;
    for (int32_t k = 0; k < count; k++) {
        slice[k].contact = slice[k].contact < slice[k].contact_end ? slice[k].contact : 0;
        work += slice[k].contact_end - slice[k].contact;
    }
    if (work > CN_SLICES_WORK * contacts) {
        slice[0] = (cn_slice){0, balls->bodies, 0, contacts};
        return 1;
    }
    return count;
}
