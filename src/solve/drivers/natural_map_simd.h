// solve/drivers/natural_map_simd.h
// |e|^2 of the natural map for CN_WIDE contacts at a time; solve/drivers/natural_map.c has the
// same, one at a time.
#ifndef CAIRN_SOLVE_DRIVERS_NATURAL_MAP_SIMD_H
#define CAIRN_SOLVE_DRIVERS_NATURAL_MAP_SIMD_H

#include "math/wide3.h"
#include "solve/drivers/natural_map.h"

// Velocity and impulse along the normal (un, rn) and across it (ut, rt). r/rho in the polar cone,
// u^ inside the cone, else u^ and the way to the cone's side.
CN_INLINE cn_wide cn_wide_natural(cn_wide mu, cn_wide rho, cn_wide un, cn_wide3 ut, cn_wide rn,
                                  cn_wide3 rt) {
    cn_wide slip2 = cn_wide3_dot(ut, ut);
    cn_wide hat = un + mu * cn_wide_sqrt(slip2);
    cn_wide zn = rn - rho * hat;
    cn_wide3 zt = cn_wide3_add(rt, -rho, ut);
    cn_wide tangent = cn_wide_sqrt(cn_wide3_dot(zt, zt));
    cn_wide excess = (tangent - mu * zn) / ((cn_wide_all(1.0) + mu * mu) * rho);
    cn_wide side_n = hat - mu * excess;
    cn_wide3 side_t = cn_wide3_add(ut, excess / tangent, zt);
    cn_wide side = side_n * side_n + cn_wide3_dot(side_t, side_t);
    cn_wide polar = (rn * rn + cn_wide3_dot(rt, rt)) / (rho * rho);
    cn_wide error = cn_wide_select(tangent <= mu * zn, hat * hat + slip2, side);
    error = cn_wide_select(mu * tangent <= -zn, polar, error);
    // Steep cones: the normal law by itself, min(r_N / rho, u_N).
    cn_wide open = rn / rho, least = cn_wide_select(open <= un, open, un);
    cn_wide normal = cn_wide_all(CN_NATURAL_NORMAL_WEIGHT) * least * least;
    cn_wide_mask more = (mu > cn_wide_all(CN_NATURAL_STEEP)) & (normal > error);
    return cn_wide_select(more, normal, error);
}

#endif
