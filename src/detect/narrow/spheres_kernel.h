// detect/narrow/spheres_kernel.h
// The kernel of detect/narrow/spheres.h, included by one source a kind of processor, which names
// it.
//
// What a body has is rows of four numbers. They are loaded whole and turned, a row a lane, which
// beats gathering single numbers; contacts are turned back and written row by row.
#include "detect/narrow/spheres.h"
#include "math/wide3.h"

#include <stddef.h>

#define CN_ROW 4 // numbers

// The rows of bodies, as many as there are lanes: row i, and row i + CN_ROW behind it.
CN_INLINE void cn_load_rows(const double *rows, const int32_t at[CN_WIDE], cn_wide out[CN_ROW]) {
    for (int i = 0; i < CN_ROW; i++) {
#if CN_WIDE == CN_ROW
        out[i] = cn_wide_load(rows + CN_ROW * (int64_t)at[i]);
#else
        cn_wide_sum low, high;
        memcpy(&low, rows + CN_ROW * (int64_t)at[i], sizeof low);
        memcpy(&high, rows + CN_ROW * (int64_t)at[i + CN_ROW], sizeof high);
        out[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    }
}

// In place: from rows so loaded to their numbers, a row a lane; and back.
CN_INLINE void cn_turn_rows(cn_wide row[CN_ROW]) {
#if CN_WIDE == CN_ROW
    cn_wide_transpose(row);
#else
    cn_wide pair[CN_ROW];
    for (int i = 0; i < CN_ROW; i += 2) {
        pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        row[i] = __builtin_shufflevector(pair[i], pair[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        row[i + 2] = __builtin_shufflevector(pair[i], pair[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#endif
}

static int32_t pairs_touch(const cn_bounding *bounding, const cn_body_pair *pair, int32_t count,
                           uint8_t *mark, int32_t *touching) {
    const double *rows = bounding->center;
    cn_wide sign; // radii are added
    for (int lane = 0; lane < CN_WIDE; lane++) {
        sign[lane] = lane % CN_ROW == CN_ROW - 1 ? -1.0 : 1.0;
    }
    int32_t found = 0, k = 0;
    for (; k + CN_WIDE <= count; k += CN_WIDE) {
        cn_wide row[CN_ROW], other[CN_ROW];
        int32_t a[CN_WIDE], b[CN_WIDE];
        int64_t near[CN_WIDE];
        for (int lane = 0; lane < CN_WIDE; lane++) {
            a[lane] = pair[k + lane].a;
            b[lane] = pair[k + lane].b;
        }
        cn_load_rows(rows, a, row);
        cn_load_rows(rows, b, other);
        for (int i = 0; i < CN_ROW; i++) {
            row[i] -= sign * other[i];
        }
        cn_turn_rows(row);
        cn_wide3 apart = {row[0], row[1], row[2]};
        cn_wide_mask touch = cn_wide3_dot(apart, apart) <= row[3] * row[3];
        memcpy(near, &touch, sizeof near);
        for (int lane = 0; lane < CN_WIDE; lane++) {
            touching[found] = k + lane;
            found += (int32_t)(near[lane] & 1);
            mark[k + lane] = (uint8_t)(mark[k + lane] & near[lane]);
        }
    }
    for (; k < count; k++) {
        bool touch = cn_balls_touch(&bounding[pair[k].a], &bounding[pair[k].b]);
        touching[found] = k;
        found += touch;
        mark[k] = touch ? mark[k] : 0;
    }
    return found;
}

// Contacts of CN_WIDE pairs, laid out as two rows each: the point and n_x, the normal and the gap.
typedef struct cn_contact_rows {
    cn_wide point[CN_ROW], normal[CN_ROW];
    double gap[CN_WIDE];
    int64_t within[CN_WIDE]; // the alert distance
} cn_contact_rows;

CN_INLINE void round_contacts(const det_round_scan *scan, const int32_t a[CN_WIDE],
                              const int32_t b[CN_WIDE], cn_contact_rows *out) {
    cn_wide own[CN_ROW], size[CN_ROW], other[CN_ROW], other_size[CN_ROW];
    cn_load_rows(scan->bounding->center, a, own);
    cn_load_rows(scan->bounding->center, b, other);
    cn_load_rows(&scan->body->reach, a, size);
    cn_load_rows(&scan->body->reach, b, other_size);
    cn_turn_rows(own);
    cn_turn_rows(other);
    cn_turn_rows(size);
    cn_turn_rows(other_size);
    cn_wide3 center = {own[0], own[1], own[2]}, to = {other[0], other[1], other[2]};
    cn_wide3 apart = cn_wide3_sub(to, center);
    cn_wide distance = cn_wide_sqrt(cn_wide3_dot(apart, apart));
    cn_wide gap = distance - (other_size[1] + size[1]);
    cn_wide_mask within = gap <= cn_wide_all(scan->alert) + size[0] + other_size[0];
    cn_wide_mask apart_at_all = distance > cn_wide_all(0.0);
    const double *spare = scan->spare;
    cn_wide3 n = {cn_wide_select(apart_at_all, apart.x / distance, cn_wide_all(spare[0])),
                  cn_wide_select(apart_at_all, apart.y / distance, cn_wide_all(spare[1])),
                  cn_wide_select(apart_at_all, apart.z / distance, cn_wide_all(spare[2]))};
    cn_wide3 point = cn_wide3_add(center, size[1] + cn_wide_all(0.5) * gap, n);
    cn_wide first[CN_ROW] = {point.x, point.y, point.z, n.x}, second[CN_ROW] = {n.x, n.y, n.z, gap};
    cn_turn_rows(first);
    cn_turn_rows(second);
    memcpy(out->point, first, sizeof first);
    memcpy(out->normal, second, sizeof second);
    memcpy(out->gap, &gap, sizeof gap);
    memcpy(out->within, &within, sizeof within);
}

_Static_assert(offsetof(cn_contact, normal) == offsetof(cn_contact, point) + 3 * sizeof(double) &&
                   offsetof(cn_contact, gap) == offsetof(cn_contact, normal) + 3 * sizeof(double),
               "rows of a contact follow one another");

// The contact of a lane.
CN_INLINE void cn_write_contact(const cn_contact_rows *rows, int lane, int32_t a, int32_t b,
                                cn_contact *to) {
    cn_wide_sum point, normal; // a row
    memcpy(&point, (const double *)&rows->point[lane % CN_ROW] + (lane & ~3), sizeof point);
    memcpy(&normal, (const double *)&rows->normal[lane % CN_ROW] + (lane & ~3), sizeof normal);
    to->key = (cn_contact_key){b, a, 0};
    memcpy((char *)to + offsetof(cn_contact, point), &point, sizeof point);
    memcpy((char *)to + offsetof(cn_contact, normal), &normal, sizeof normal);
}

// The pairs of a group: `lanes` of it are to be written.
CN_INLINE int32_t group_contacts(const det_round_scan *scan, const cn_body_pair *pair,
                                 const int32_t which[CN_WIDE], int32_t lanes, uint8_t *mark,
                                 cn_contact *out, det_missed *missed) {
    int32_t a[CN_WIDE], b[CN_WIDE], found = 0;
    cn_contact_rows rows;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        a[lane] = pair[which[lane]].a;
        b[lane] = pair[which[lane]].b;
    }
    round_contacts(scan, a, b, &rows);
    for (int32_t lane = 0; lane < lanes; lane++) {
        uint8_t within = (uint8_t)(rows.within[lane] & 1), *own = &mark[which[lane]];
        cn_write_contact(&rows, lane, a[lane], b[lane], &out[found]);
        found += within;
        if (within > *own && -rows.gap[lane] > scan->deepest) {
            *missed = (det_missed){missed->count + 1, a[lane], b[lane]};
        }
        *own = within;
    }
    return found;
}

static int32_t pairs_contacts(const det_round_scan *scan, const cn_body_pair *pair,
                              const int32_t *which, int32_t count, uint8_t *mark, cn_contact *out,
                              det_missed *missed) {
    int32_t found = 0, k = 0;
    for (; k + CN_WIDE <= count; k += CN_WIDE) {
        found += group_contacts(scan, pair, which + k, CN_WIDE, mark, out + found, missed);
    }
    if (k < count) { // lanes to spare do the first one again
        int32_t rest[CN_WIDE];
        for (int32_t lane = 0; lane < CN_WIDE; lane++) {
            rest[lane] = which[k + lane < count ? k + lane : k];
        }
        found += group_contacts(scan, pair, rest, count - k, mark, out + found, missed);
    }
    return found;
}

static void near_walls(const cn_wall *wall, int32_t walls, double alert, int32_t count,
                       const cn_bounding *bounding, const det_body *body, uint32_t *beside) {
    for (int32_t i = 0; i < count; i += CN_WIDE) {
        int32_t lanes = count - i < CN_WIDE ? count - i : CN_WIDE, at[CN_WIDE];
        cn_wide x[CN_ROW], size[CN_ROW];
        for (int lane = 0; lane < CN_WIDE; lane++) {
            at[lane] = i + (lane < lanes ? lane : 0);
        }
        cn_load_rows(bounding->center, at, x);
        cn_load_rows(&body->reach, at, size);
        cn_turn_rows(x);
        cn_turn_rows(size);
        cn_wide_mask bits = {0}, bit; // that of the wall
        for (int lane = 0; lane < CN_WIDE; lane++) {
            bit[lane] = 1;
        }
        for (int32_t k = 0; k < walls; k++) {
            const double *n = wall[k].normal, *p = wall[k].position;
            cn_wide3 normal = {cn_wide_all(n[0]), cn_wide_all(n[1]), cn_wide_all(n[2])},
                     apart = {x[0] - cn_wide_all(p[0]), x[1] - cn_wide_all(p[1]),
                              x[2] - cn_wide_all(p[2])};
            cn_wide height = cn_wide3_dot(normal, apart) - cn_wide_all(wall[k].offset);
            // The two ways to add what both come, of which a pair takes one.
            cn_wide reach = cn_wide_all(wall[k].reach), start = cn_wide_all(alert),
                    first = start + size[0] + reach, second = start + reach + size[0];
            cn_wide_mask near = (height <= size[2] + first) | (height <= size[2] + second);
            bits |= near & bit;
            bit += bit;
        }
        for (int32_t lane = 0; lane < lanes; lane++) {
            beside[i + lane] = (uint32_t)bits[lane];
        }
    }
}

#define DET_PAIR_KERNEL                                                                            \
    { .touch = pairs_touch, .contacts = pairs_contacts, .beside = near_walls }
