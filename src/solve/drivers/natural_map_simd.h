// solve/drivers/natural_map_simd.h
// |e|^2 of the natural map for MATH_WIDE contacts at a time; solve/drivers/natural_map.c has the
// same, one at a time.
#ifndef CAIRN_SOLVE_DRIVERS_NATURAL_MAP_SIMD_H
#define CAIRN_SOLVE_DRIVERS_NATURAL_MAP_SIMD_H

#include "math/wide3.h"
#include "solve/drivers/natural_map.h"

// Velocity and impulse along the normal (un, rn) and across it (ut, rt). r/rho in the polar cone,
// u^ inside the cone, else u^ and the way to the cone's side.
MATH_INLINE math_wide solve_wide_natural(math_wide mu, math_wide rho, math_wide un, math_wide3 ut,
                                         math_wide rn, math_wide3 rt) {
    math_wide slip2 = math_wide3_dot(ut, ut);
    math_wide hat = un + mu * math_wide_sqrt(slip2);
    math_wide zn = rn - rho * hat;
    math_wide3 zt = math_wide3_add(rt, -rho, ut);
    math_wide tangent = math_wide_sqrt(math_wide3_dot(zt, zt));
    math_wide excess = (tangent - mu * zn) / ((math_wide_all(1.0) + mu * mu) * rho);
    math_wide side_n = hat - mu * excess;
    math_wide3 side_t = math_wide3_add(ut, excess / tangent, zt);
    math_wide side = side_n * side_n + math_wide3_dot(side_t, side_t);
    math_wide polar = (rn * rn + math_wide3_dot(rt, rt)) / (rho * rho);
    math_wide error = math_wide_select(tangent <= mu * zn, hat * hat + slip2, side);
    error = math_wide_select(mu * tangent <= -zn, polar, error);
    // Steep cones: the normal law by itself, min(r_N / rho, u_N).
    math_wide open = rn / rho, min = math_wide_select(open <= un, open, un);
    math_wide normal = math_wide_all(SOLVE_NATURAL_NORMAL_WEIGHT) * min * min;
    math_wide_mask more = (mu > math_wide_all(SOLVE_NATURAL_STEEP)) & (normal > error);
    return math_wide_select(more, normal, error);
}

#endif
