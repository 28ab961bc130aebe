// solve/body_pack.c
#include "solve/body_pack.h"

#include "base/arena.h"

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
