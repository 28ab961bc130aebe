// problem/operator/slices.h
// Sums over contacts into bodies, by several threads. Bodies are cut by number into slices; whoever
// has a slice goes through the contacts that reach it, in their order, and adds to its own bodies
// alone. So a body's sum is added in the order of the contacts, and is bitwise identical however
// many slices there are.
#ifndef CAIRN_PROBLEM_OPERATOR_SLICES_H
#define CAIRN_PROBLEM_OPERATOR_SLICES_H

#include <cairn/problem.h>

#define PROB_SLICES_MAX 8

typedef struct prob_slice {
    int32_t body, body_end;       // its bodies
    int32_t contact, contact_end; // contacts that touch one of them, and others
} prob_slice;

// Cuts the bodies of a problem; returns the slices. One, of all: there is one thread, or little to
// do, or bodies that touch are numbered far apart, so that most contacts would be looked at often.
int32_t prob_slices_cut(const cn_env *env, const cn_sphere_map *spheres, int32_t contacts,
                        prob_slice slice[PROB_SLICES_MAX]);

static inline bool prob_slice_has(const prob_slice *slice, int64_t body) {
    return body >= slice->body && body < slice->body_end;
}

#endif
