// problem/operator/slices.c
// Contacts are listed by their bodies, so those of a slice lie together but for the ones that reach
// into it from bodies of higher numbers: as many as a few layers of a packing have.
#include "problem/operator/slices.h"

#include "base/parallel.h"

#define CN_SLICES_WORK 1.75 // contacts looked at, over contacts, above which slices do not pay

// The contacts from the first to the last that touches a body of each slice. Zeros are none, so the
// first is counted from the end.
typedef struct cn_reach {
    int32_t first[CN_SLICES_MAX], behind[CN_SLICES_MAX];
} cn_reach;

typedef struct cn_reaching {
    const cn_ball_map *balls;
    int32_t contacts;
    int shift;
} cn_reaching;

// Bodies that do not answer to impulses have nothing to add up, and often touch everything.
static void cn_reach_range(const void *user, int64_t first, int64_t end, void *part) {
    const cn_reaching *reaching = user;
    const cn_ball_map *balls = reaching->balls;
    cn_reach *reach = part;
    for (int32_t a = (int32_t)first; a < end; a++) {
        for (int side = 0; side < 2; side++) {
            int32_t body = balls->body[2 * (int64_t)a + side], k = body >> reaching->shift;
            const double *light = balls->light + 2 * (int64_t)body;
            if (light[0] != 0.0 || light[1] != 0.0) {
                int32_t before_end = reaching->contacts - a;
                reach->first[k] = reach->first[k] > before_end ? reach->first[k] : before_end;
                reach->behind[k] = a + 1;
            }
        }
    }
}

static void cn_reach_join(void *total, const void *part) {
    cn_reach *all = total;
    const cn_reach *more = part;
    for (int k = 0; k < CN_SLICES_MAX; k++) {
        all->first[k] = all->first[k] > more->first[k] ? all->first[k] : more->first[k];
        all->behind[k] = all->behind[k] > more->behind[k] ? all->behind[k] : more->behind[k];
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
    const cn_reaching reaching = {balls, contacts, shift};
    cn_reach reach = {.first = {0}};
    cn_parallel_fold(env, contacts, cn_reach_range, cn_reach_join, &reaching, sizeof reach, &reach);
    double work = 0.0;
    for (int32_t k = 0; k < count; k++) {
        int32_t end = k + 1 < count ? (k + 1) << shift : balls->bodies;
        slice[k] = (cn_slice){k << shift, end, contacts - reach.first[k], reach.behind[k]};
        work +=
            slice[k].contact_end > slice[k].contact ? slice[k].contact_end - slice[k].contact : 0;
    }
    if (work > CN_SLICES_WORK * contacts) {
        slice[0] = (cn_slice){0, balls->bodies, 0, contacts};
        return 1;
    }
    return count;
}
