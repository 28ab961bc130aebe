// detect/narrow/spheres_kernel.h
// The kernel of detect/narrow/spheres.h, included by one source a kind of processor, which names
// it.
//
// What a body has is rows of four numbers. They are loaded whole and turned, a row a lane, which
// beats gathering single numbers; contacts are turned back and written row by row.
#include "detect/narrow/spheres.h"
#include "math/wide3.h"

#include <stddef.h>

#define DET_ROW 4 // numbers

// The rows of bodies, as many as there are lanes: row i, and row i + DET_ROW behind it.
MATH_INLINE void det_load_rows(const double *rows, const int32_t at[MATH_WIDE],
                               math_wide out[DET_ROW]) {
    for (int i = 0; i < DET_ROW; i++) {
#if MATH_WIDE == DET_ROW
        out[i] = math_wide_load(rows + DET_ROW * (int64_t)at[i]);
#else
        math_wide_sum low, high;
        memcpy(&low, rows + DET_ROW * (int64_t)at[i], sizeof low);
        memcpy(&high, rows + DET_ROW * (int64_t)at[i + DET_ROW], sizeof high);
        out[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
    }
}

// In place: from rows so loaded to their numbers, a row a lane; and back.
MATH_INLINE void det_turn_rows(math_wide row[DET_ROW]) {
#if MATH_WIDE == DET_ROW
    math_wide_transpose(row);
#else
    math_wide pair[DET_ROW];
    for (int i = 0; i < DET_ROW; i += 2) {
        pair[i] = __builtin_shufflevector(row[i], row[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        pair[i + 1] = __builtin_shufflevector(row[i], row[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        row[i] = __builtin_shufflevector(pair[i], pair[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        row[i + 2] = __builtin_shufflevector(pair[i], pair[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#endif
}

static int32_t pairs_touch(const det_bounding *bounding, const det_body_pair *pair, int32_t count,
                           uint8_t *mark, int32_t *touching) {
    const double *rows = bounding->center;
    math_wide sign; // radii are added
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        sign[lane] = lane % DET_ROW == DET_ROW - 1 ? -1.0 : 1.0;
    }
    int32_t found = 0, k = 0;
    for (; k + MATH_WIDE <= count; k += MATH_WIDE) {
        math_wide row[DET_ROW], other[DET_ROW];
        int32_t a[MATH_WIDE], b[MATH_WIDE];
        int64_t near[MATH_WIDE];
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            a[lane] = pair[k + lane].a;
            b[lane] = pair[k + lane].b;
        }
        det_load_rows(rows, a, row);
        det_load_rows(rows, b, other);
        for (int i = 0; i < DET_ROW; i++) {
            row[i] -= sign * other[i];
        }
        det_turn_rows(row);
        math_wide3 apart = {row[0], row[1], row[2]};
        math_wide_mask touch = math_wide3_dot(apart, apart) <= row[3] * row[3];
        memcpy(near, &touch, sizeof near);
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            touching[found] = k + lane;
            found += (int32_t)(near[lane] & 1);
            mark[k + lane] = (uint8_t)(mark[k + lane] & near[lane]);
        }
    }
    for (; k < count; k++) {
        bool touch = det_spheres_touch(&bounding[pair[k].a], &bounding[pair[k].b]);
        touching[found] = k;
        found += touch;
        mark[k] = touch ? mark[k] : 0;
    }
    return found;
}

// Contacts of MATH_WIDE pairs, laid out as two rows each: the point and n_x, the normal and the gap.
typedef struct det_contact_rows {
    math_wide point[DET_ROW], normal[DET_ROW];
    double gap[MATH_WIDE];
    int64_t within[MATH_WIDE]; // the alert distance
} det_contact_rows;

MATH_INLINE void round_contacts(const det_round_scan *scan, const int32_t a[MATH_WIDE],
                                const int32_t b[MATH_WIDE], det_contact_rows *out) {
    math_wide own[DET_ROW], size[DET_ROW], other[DET_ROW], other_size[DET_ROW];
    det_load_rows(scan->bounding->center, a, own);
    det_load_rows(scan->bounding->center, b, other);
    det_load_rows(&scan->body->reach, a, size);
    det_load_rows(&scan->body->reach, b, other_size);
    det_turn_rows(own);
    det_turn_rows(other);
    det_turn_rows(size);
    det_turn_rows(other_size);
    math_wide3 center = {own[0], own[1], own[2]}, to = {other[0], other[1], other[2]};
    math_wide3 apart = math_wide3_sub(to, center);
    math_wide distance = math_wide_sqrt(math_wide3_dot(apart, apart));
    math_wide gap = distance - (other_size[1] + size[1]);
    math_wide_mask within = gap <= math_wide_all(scan->alert) + size[0] + other_size[0];
    math_wide_mask apart_at_all = distance > math_wide_all(0.0);
    const double *spare = scan->spare;
    math_wide3 n = {math_wide_select(apart_at_all, apart.x / distance, math_wide_all(spare[0])),
                    math_wide_select(apart_at_all, apart.y / distance, math_wide_all(spare[1])),
                    math_wide_select(apart_at_all, apart.z / distance, math_wide_all(spare[2]))};
    math_wide3 point = math_wide3_add(center, size[1] + math_wide_all(0.5) * gap, n);
    math_wide first[DET_ROW] = {point.x, point.y, point.z, n.x},
              second[DET_ROW] = {n.x, n.y, n.z, gap};
    det_turn_rows(first);
    det_turn_rows(second);
    memcpy(out->point, first, sizeof first);
    memcpy(out->normal, second, sizeof second);
    memcpy(out->gap, &gap, sizeof gap);
    memcpy(out->within, &within, sizeof within);
}

_Static_assert(offsetof(det_contact, normal) == offsetof(det_contact, point) + 3 * sizeof(double) &&
                   offsetof(det_contact, gap) == offsetof(det_contact, normal) + 3 * sizeof(double),
               "rows of a contact follow one another");

// The contact of a lane.
MATH_INLINE void det_write_contact(const det_contact_rows *rows, int lane, int32_t a, int32_t b,
                                   det_contact *to) {
    math_wide_sum point, normal; // a row
    memcpy(&point, (const double *)&rows->point[lane % DET_ROW] + (lane & ~3), sizeof point);
    memcpy(&normal, (const double *)&rows->normal[lane % DET_ROW] + (lane & ~3), sizeof normal);
    to->key = (model_contact_key){b, a, 0};
    memcpy((char *)to + offsetof(det_contact, point), &point, sizeof point);
    memcpy((char *)to + offsetof(det_contact, normal), &normal, sizeof normal);
}

// The pairs of a group: `lanes` of it are to be written.
MATH_INLINE int32_t group_contacts(const det_round_scan *scan, const det_body_pair *pair,
                                   const int32_t which[MATH_WIDE], int32_t lanes, uint8_t *mark,
                                   det_contact *out, det_missed *missed) {
    int32_t a[MATH_WIDE], b[MATH_WIDE], found = 0;
    det_contact_rows rows;
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        a[lane] = pair[which[lane]].a;
        b[lane] = pair[which[lane]].b;
    }
    round_contacts(scan, a, b, &rows);
    for (int32_t lane = 0; lane < lanes; lane++) {
        uint8_t within = (uint8_t)(rows.within[lane] & 1), *own = &mark[which[lane]];
        det_write_contact(&rows, lane, a[lane], b[lane], &out[found]);
        found += within;
        if (within > *own && -rows.gap[lane] > scan->deepest) {
            *missed = (det_missed){missed->count + 1, a[lane], b[lane]};
        }
        *own = within;
    }
    return found;
}

static int32_t pairs_contacts(const det_round_scan *scan, const det_body_pair *pair,
                              const int32_t *which, int32_t count, uint8_t *mark, det_contact *out,
                              det_missed *missed) {
    int32_t found = 0, k = 0;
    for (; k + MATH_WIDE <= count; k += MATH_WIDE) {
        found += group_contacts(scan, pair, which + k, MATH_WIDE, mark, out + found, missed);
    }
    if (k < count) { // lanes to spare do the first one again
        int32_t rest[MATH_WIDE];
        for (int32_t lane = 0; lane < MATH_WIDE; lane++) {
            rest[lane] = which[k + lane < count ? k + lane : k];
        }
        found += group_contacts(scan, pair, rest, count - k, mark, out + found, missed);
    }
    return found;
}

static void near_walls(const det_wall *wall, int32_t walls, double alert, int32_t count,
                       const det_bounding *bounding, const det_body *body, uint32_t *beside) {
    for (int32_t i = 0; i < count; i += MATH_WIDE) {
        int32_t lanes = count - i < MATH_WIDE ? count - i : MATH_WIDE, at[MATH_WIDE];
        math_wide x[DET_ROW], size[DET_ROW];
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            at[lane] = i + (lane < lanes ? lane : 0);
        }
        det_load_rows(bounding->center, at, x);
        det_load_rows(&body->reach, at, size);
        det_turn_rows(x);
        det_turn_rows(size);
        math_wide_mask bits = {0}, bit; // that of the wall
        for (int lane = 0; lane < MATH_WIDE; lane++) {
            bit[lane] = 1;
        }
        for (int32_t k = 0; k < walls; k++) {
            const double *n = wall[k].normal, *p = wall[k].position;
            math_wide3 normal = {math_wide_all(n[0]), math_wide_all(n[1]), math_wide_all(n[2])},
                       apart = {x[0] - math_wide_all(p[0]), x[1] - math_wide_all(p[1]),
                                x[2] - math_wide_all(p[2])};
            math_wide height = math_wide3_dot(normal, apart) - math_wide_all(wall[k].offset);
            // The two ways to add what both come, of which a pair takes one.
            math_wide reach = math_wide_all(wall[k].reach), start = math_wide_all(alert),
                      first = start + size[0] + reach, second = start + reach + size[0];
            math_wide_mask near = (height <= size[2] + first) | (height <= size[2] + second);
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
