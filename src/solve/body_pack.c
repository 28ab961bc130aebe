// solve/body_pack.c
#include "solve/body_pack.h"

#include "base/arena.h"

#include <string.h>

#define CN_INLINE static inline __attribute__((always_inline))

// The entries of contact a are whole runs of consecutive velocities, each beginning at a multiple
// of size.
static bool cn_is_run_pair(const cn_body_map *map, int32_t a, int32_t size) {
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

static void cn_pack_contact(const cn_friction *p, int32_t a, cn_body_pack *out) {
    const cn_body_map *map = &p->W.body;
    int32_t dim = p->dim, size = out->size;
    int64_t count = map->start[a + 1] - map->start[a];
    for (int32_t s = 0; s < 2; s++) {
        bool present = s * size < count;
        int64_t first = map->start[a] + (int64_t)s * size,
                place = (2 * (int64_t)a + s) * size * dim;
        out->dof[2 * (int64_t)a + s] = present ? map->dof[first] : map->dofs;
        for (int32_t k = 0; present && k < size; k++) {
            for (int32_t i = 0; i < dim; i++) {
                out->H[place + dim * k + i] = map->H[dim * (first + k) + i];
                out->G[place + size * i + k] = map->MinvH[dim * (first + k) + i];
            }
        }
    }
}

cn_status cn_body_pack_build(const cn_friction *p, cn_arena *scratch, cn_body_pack *out) {
    int32_t size = p->dim == 3 ? 6 : 3;
    *out = (cn_body_pack){.size = 0};
    for (int32_t a = 0; a < p->contacts; a++) {
        if (!cn_is_run_pair(&p->W.body, a, size)) {
            return CN_OK;
        }
    }
    int64_t entries = 2 * (int64_t)p->contacts * size * p->dim;
    out->dof = CN_TAKE(scratch, int32_t, 2 * (int64_t)p->contacts);
    out->H = CN_TAKE_ZERO(scratch, double, entries + CN_BSR_PAD);
    out->G = CN_TAKE_ZERO(scratch, double, entries + CN_BSR_PAD);
    if (!out->dof || !out->H || !out->G) {
        return CN_ERR_MEMORY;
    }
    out->size = size;
    for (int32_t a = 0; a < p->contacts; a++) {
        cn_pack_contact(p, a, out);
    }
    return CN_OK;
}

// Both products for sizes known to the compiler.
CN_INLINE void cn_pack_impulse(int dim, int size, const cn_body_pack *pack, int32_t contacts,
                               const double *r, double *v) {
    for (int64_t side = 0; side < 2 * (int64_t)contacts; side++) {
        const double *G = pack->G + side * size * dim, *own = r + side / 2 * dim;
        double *to = v + pack->dof[side];
        for (int i = 0; i < dim; i++) {
            for (int k = 0; k < size; k++) {
                to[k] += G[size * i + k] * own[i];
            }
        }
    }
}

CN_INLINE void cn_pack_velocity(int dim, int size, const cn_body_pack *pack, const cn_friction *p,
                                const double *v, double *u) {
    for (int64_t a = 0; a < p->contacts; a++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int64_t side = 2 * a; side < 2 * a + 2; side++) {
            const double *H = pack->H + side * size * dim, *from = v + pack->dof[side];
            for (int k = 0; k < size; k++) {
                for (int i = 0; i < dim; i++) {
                    sum[i] += H[dim * k + i] * from[k];
                }
            }
        }
        for (int i = 0; i < dim; i++) {
            u[dim * a + i] = p->q[dim * a + i] + sum[i];
        }
    }
}

void cn_body_pack_impulse(const cn_body_pack *pack, const cn_friction *p, const double *r,
                          double *v) {
    memset(v, 0, sizeof *v * (size_t)p->W.body.dofs);
    if (p->dim == 3) {
        cn_pack_impulse(3, 6, pack, p->contacts, r, v);
    } else {
        cn_pack_impulse(2, 3, pack, p->contacts, r, v);
    }
}

void cn_body_pack_velocity(const cn_body_pack *pack, const cn_friction *p, const double *v,
                           double *u) {
    if (p->dim == 3) {
        cn_pack_velocity(3, 6, pack, p, v, u);
    } else {
        cn_pack_velocity(2, 3, pack, p, v, u);
    }
}
