// problem/operator/slices.c
// Contacts are listed by their bodies, so those of a slice lie together but for the ones that reach
// into it from bodies of higher numbers: as many as a few layers of a packing have.
#include "problem/operator/slices.h"

#include "base/parallel.h"

#define SLICES_WORK 1.75 // contacts looked at, over contacts, above which slices do not pay

// The contacts from the first to the last that touches a body of each slice. Zeros are none, so the
// first is counted from the end.
typedef struct slice_reach {
    int32_t first[PROB_SLICES_MAX], behind[PROB_SLICES_MAX];
} slice_reach;

typedef struct prob_reaching {
    const cn_sphere_map *spheres;
    int32_t contacts;
    int shift;
} prob_reaching;

// Bodies that do not answer to impulses have nothing to add up, and often touch everything.
static void reach_range(const void *user, int64_t first, int64_t end, void *part) {
    const prob_reaching *reaching = user;
    const cn_sphere_map *spheres = reaching->spheres;
    slice_reach *reach = part;
    for (int32_t a = (int32_t)first; a < end; a++) {
        for (int side = 0; side < 2; side++) {
            int32_t body = spheres->body[2 * (int64_t)a + side], k = body >> reaching->shift;
            const double *inv_mass = spheres->inv_mass + 2 * (int64_t)body;
            if (inv_mass[0] != 0.0 || inv_mass[1] != 0.0) {
                int32_t before_end = reaching->contacts - a;
                reach->first[k] = reach->first[k] > before_end ? reach->first[k] : before_end;
                reach->behind[k] = a + 1;
            }
        }
    }
}

static void reach_join(void *total, const void *part) {
    slice_reach *all = total;
    const slice_reach *more = part;
    for (int k = 0; k < PROB_SLICES_MAX; k++) {
        all->first[k] = all->first[k] > more->first[k] ? all->first[k] : more->first[k];
        all->behind[k] = all->behind[k] > more->behind[k] ? all->behind[k] : more->behind[k];
    }
}

int32_t prob_slices_cut(const cn_env *env, const cn_sphere_map *spheres, int32_t contacts,
                        prob_slice slice[PROB_SLICES_MAX]) {
    slice[0] = (prob_slice){0, spheres->bodies, 0, contacts};
    if (base_thread_count(env) < 2 || contacts <= BASE_RANGE) {
        return 1;
    }
    int shift = 0;
    while ((spheres->bodies - 1) >> shift >= PROB_SLICES_MAX) {
        shift++;
    }
    int32_t count = ((spheres->bodies - 1) >> shift) + 1;
    const prob_reaching reaching = {spheres, contacts, shift};
    slice_reach reach = {.first = {0}};
    base_parallel_fold(env, contacts, reach_range, reach_join, &reaching, sizeof reach, &reach);
    double work = 0.0;
    for (int32_t k = 0; k < count; k++) {
        int32_t end = k + 1 < count ? (k + 1) << shift : spheres->bodies;
        slice[k] = (prob_slice){k << shift, end, contacts - reach.first[k], reach.behind[k]};
        work +=
            slice[k].contact_end > slice[k].contact ? slice[k].contact_end - slice[k].contact : 0;
    }
    if (work > SLICES_WORK * contacts) {
        slice[0] = (prob_slice){0, spheres->bodies, 0, contacts};
        return 1;
    }
    return count;
}
