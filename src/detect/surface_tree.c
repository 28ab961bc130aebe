// detect/surface_tree.c
// Halves of equal numbers of faces, split along the longest side of the box round their centres.
#include "detect/surface_tree.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placed_face {
    double along; // of the centre, on the axis of the split
    double centre[3];
    int32_t face;
} placed_face;

static int placed_compare(const void *a, const void *b) {
    const placed_face *p = a, *q = b;
    if (p->along != q->along) {
        return p->along < q->along ? -1 : 1;
    }
    return (p->face > q->face) - (p->face < q->face);
}

// The longest side of the box round the centres.
static int longest_axis(const placed_face *face, int32_t count) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int longest = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], face[k].centre[i]);
            high[i] = fmax(high[i], face[k].centre[i]);
        }
    }
    for (int i = 1; i < 3; i++) {
        longest = high[i] - low[i] > high[longest] - low[longest] ? i : longest;
    }
    return longest;
}

// The branch of a range of faces and what is below it: halves, so the depth is below 32.
static void split(det_surface_tree *tree, placed_face *face, int32_t first, int32_t count) {
    det_surface_branch *own = &tree->branch[tree->branches++];
    *own = (det_surface_branch){.first = first};
    if (count <= DET_LEAF_FACES) {
        own->faces = count;
        for (int32_t k = 0; k < count; k++) {
            tree->face[first + k] = face[first + k].face;
        }
    } else {
        int axis = longest_axis(face + first, count);
        for (int32_t k = 0; k < count; k++) {
            face[first + k].along = face[first + k].centre[axis];
        }
        qsort(face + first, (size_t)count, sizeof *face, placed_compare);
        split(tree, face, first, count / 2);
        split(tree, face, first + count / 2, count - count / 2);
    }
    own->end = tree->branches;
}

cn_status det_surface_tree_build(const fe_mesh *mesh, cn_arena *memory, det_surface_tree *out) {
    int32_t per = mesh->element->face_nodes;
    out->branches = 0;
    out->branch = BASE_TAKE(memory, det_surface_branch, 2 * (int64_t)mesh->faces);
    out->face = BASE_TAKE(memory, int32_t, mesh->faces);
    if (!out->branch || !out->face) {
        return CN_ERR_MEMORY;
    }
    base_arena_mark mark = base_arena_get_mark(memory);
    placed_face *face = BASE_TAKE_ZERO(memory, placed_face, mesh->faces);
    if (!face) {
        return CN_ERR_MEMORY;
    }
    for (int32_t f = 0; f < mesh->faces; f++) {
        face[f].face = f;
        for (int32_t i = 0; i < per * mesh->dim; i++) {
            int32_t node = mesh->face[(int64_t)per * f + i / mesh->dim];
            face[f].centre[i % mesh->dim] +=
                mesh->node[(int64_t)mesh->dim * node + i % mesh->dim] / per;
        }
    }
    split(out, face, 0, mesh->faces);
    base_arena_release(memory, mark);
    return CN_OK;
}

static void around_faces(const det_surface_tree *tree, const det_surface_branch *leaf,
                         const fe_mesh *mesh, const double *x, double *box) {
    int32_t per = mesh->element->face_nodes, dim = mesh->dim;
    for (int32_t i = 0; i < 3; i++) {
        box[i] = i < dim ? HUGE_VAL : 0.0;
        box[3 + i] = i < dim ? -HUGE_VAL : 0.0;
    }
    for (int32_t k = 0; k < leaf->faces; k++) {
        const int32_t *node = mesh->face + (int64_t)per * tree->face[leaf->first + k];
        for (int32_t n = 0; n < per; n++) {
            const double *at = x + (int64_t)dim * node[n];
            for (int32_t i = 0; i < dim; i++) {
                box[i] = fmin(box[i], at[i]);
                box[3 + i] = fmax(box[3 + i], at[i]);
            }
        }
    }
}

void det_surface_tree_refit(const det_surface_tree *tree, const fe_mesh *mesh, const double *x,
                            double *box) {
    for (int32_t k = tree->branches - 1; k >= 0; k--) { // children stand behind
        const det_surface_branch *branch = &tree->branch[k];
        double *own = box + 6 * (int64_t)k;
        if (branch->faces > 0) {
            around_faces(tree, branch, mesh, x, own);
            continue;
        }
        const double *a = box + 6 * ((int64_t)k + 1),
                     *b = box + 6 * (int64_t)tree->branch[k + 1].end;
        for (int i = 0; i < 3; i++) {
            own[i] = fmin(a[i], b[i]);
            own[3 + i] = fmax(a[3 + i], b[3 + i]);
        }
    }
}

int32_t det_surface_tree_near(const det_surface_tree *tree, const double *box, const double low[3],
                              const double high[3], int32_t *list) {
    int32_t count = 0;
    for (int32_t k = 0; k < tree->branches;) {
        const det_surface_branch *branch = &tree->branch[k];
        const double *own = box + 6 * (int64_t)k;
        bool apart = false;
        for (int i = 0; i < 3; i++) {
            apart = apart || own[i] > high[i] || own[3 + i] < low[i];
        }
        if (apart) {
            k = branch->end;
            continue;
        }
        if (branch->faces > 0) {
            memcpy(list + count, tree->face + branch->first, sizeof *list * (size_t)branch->faces);
            count += branch->faces;
        }
        k++;
    }
    return count;
}
