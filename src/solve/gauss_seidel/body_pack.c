// solve/gauss_seidel/body_pack.c
#include "solve/gauss_seidel/body_pack.h"

#include "base/arena.h"
#include "math/wide.h"

#include <string.h>

// The entries of contact a are whole runs of consecutive velocities, each beginning at a multiple
// of size.
static bool is_run_pair(const cn_body_map *map, int32_t a, int32_t size) {
    int64_t first = map->start[a], count = map->start[a + 1] - first;
    if (count % size != 0 || count > 2 * size) {
        return false;
    }
    for (int64_t k = 0; k < count; k++) {
        int32_t run = map->dof[first + k / size * size];
        if (map->dof[first + k] != run + (int32_t)(k % size) || run % size != 0) {
            return false;
        }
    }
    return true;
}

// For sizes known to the compiler. A run that is missing has zeros.
MATH_INLINE void pack_contact(int dim, int size, const cn_body_map *map, int32_t a,
                              gs_body_pack *out) {
    int64_t count = map->start[a + 1] - map->start[a];
    for (int s = 0; s < 2; s++) {
        bool present = s * size < count;
        int64_t first = map->start[a] + s * size, side = 2 * (int64_t)a + s;
        double *H = out->H + side * size * dim, *G = out->G + side * size * dim;
        out->dof[side] = present ? map->dof[first] : map->dofs;
        if (!present) {
            memset(H, 0, sizeof *H * (size_t)(size * dim));
            memset(G, 0, sizeof *G * (size_t)(size * dim));
            continue;
        }
        memcpy(H, map->H + dim * first, sizeof *H * (size_t)(size * dim));
        for (int k = 0; k < size; k++) {
            for (int i = 0; i < dim; i++) {
                G[size * i + k] = map->MinvH[dim * (first + k) + i];
            }
        }
    }
}

cn_status gs_body_pack_build(const cn_friction *p, cn_arena *scratch, gs_body_pack *out) {
    int32_t size = p->dim == 3 ? 6 : 3;
    *out = (gs_body_pack){.size = 0};
    for (int32_t a = 0; a < p->contacts; a++) {
        if (!is_run_pair(&p->W.body, a, size)) {
            return CN_OK;
        }
    }
    int64_t entries = 2 * (int64_t)p->contacts * size * p->dim;
    out->dof = BASE_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    out->H = BASE_TAKE(scratch, double, entries + CN_BSR_PAD);
    out->G = BASE_TAKE(scratch, double, entries + CN_BSR_PAD);
    if (!out->dof || !out->H || !out->G) {
        return CN_ERR_MEMORY;
    }
    out->size = size;
    memset(out->H + entries, 0, sizeof *out->H * CN_BSR_PAD);
    memset(out->G + entries, 0, sizeof *out->G * CN_BSR_PAD);
    for (int32_t a = 0; a < p->contacts; a++) {
        if (size == 6) {
            pack_contact(3, 6, &p->W.body, a, out);
        } else {
            pack_contact(2, 3, &p->W.body, a, out);
        }
    }
    return CN_OK;
}

// Both products for sizes known to the compiler.
MATH_INLINE void pack_impulse(int dim, int size, const gs_body_pack *pack, int32_t contacts,
                              const double *r, double *v) {
    for (int64_t side = 0; side < 2 * (int64_t)contacts; side++) {
        const double *G = pack->G + side * size * dim, *own = r + side / 2 * dim;
        double *to = v + pack->dof[side], sum[6];
        memcpy(sum, to, sizeof *to * (size_t)size);
        for (int i = 0; i < dim; i++) {
            for (int k = 0; k < size; k++) {
                sum[k] += G[size * i + k] * own[i];
            }
        }
        memcpy(to, sum, sizeof *to * (size_t)size);
    }
}

// Directions are lanes; those beyond dim read the next numbers in memory and are thrown away.
MATH_INLINE void pack_velocity(int dim, int size, const gs_body_pack *pack, const cn_friction *p,
                               const double *v, double *u) {
    for (int64_t a = 0; a < p->contacts; a++) {
        math_wide lanes = {0.0, 0.0, 0.0, 0.0};
        for (int64_t side = 2 * a; side < 2 * a + 2; side++) {
            const double *H = pack->H + side * size * dim, *from = v + pack->dof[side];
            for (int k = 0; k < size; k++) {
                lanes += math_wide_load(H + dim * k) * from[k];
            }
        }
        double sum[4];
        memcpy(sum, &lanes, sizeof sum);
        for (int i = 0; i < dim; i++) {
            u[dim * a + i] = p->q[dim * a + i] + sum[i];
        }
    }
}

void gs_body_pack_impulse(const gs_body_pack *pack, const cn_friction *p, const double *r,
                          double *v) {
    memset(v, 0, sizeof *v * (size_t)p->W.body.dofs);
    if (p->dim == 3) {
        pack_impulse(3, 6, pack, p->contacts, r, v);
    } else {
        pack_impulse(2, 3, pack, p->contacts, r, v);
    }
}

void gs_body_pack_velocity(const gs_body_pack *pack, const cn_friction *p, const double *v,
                           double *u) {
    if (p->dim == 3) {
        pack_velocity(3, 6, pack, p, v, u);
    } else {
        pack_velocity(2, 3, pack, p, v, u);
    }
}
