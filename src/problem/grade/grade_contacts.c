// problem/grade/grade_contacts.c
// The errors of contacts, one by one, and four at a time where every square is well inside the
// numbers; the same operations in the same order, so a contact's error does not depend on its
// neighbours. Only the sums do, by round-off.
#include "problem/grade/grade_contacts.h"

#include "problem/bounds.h"
#include "problem/grade/grade_contacts_kernel.h"

// r and u of one contact in three dimensions (2D: the third is zero), with the lengths of their
// tangential parts.
typedef struct prob_touch {
    double mu;
    double lift; // u^ = (u_N + lift |u_T|, u_T): mu is Coulomb's law, 0 the convex one
    double r[3], u[3];
    double r_tangent, slip;
    bool sound; // every number is finite and mu is a coefficient
} prob_touch;

static prob_touch touch_of(const cn_friction *p, bool convex, int32_t a, const double *r,
                           const double *u) {
    const double *own_r = r + (int64_t)p->dim * a, *own_u = u + (int64_t)p->dim * a;
    bool solid = p->dim == 3;
    prob_touch touch = {.mu = p->mu[a],
                        .lift = convex ? 0.0 : p->mu[a],
                        .r = {own_r[0], own_r[1], solid ? own_r[2] : 0.0},
                        .u = {own_u[0], own_u[1], solid ? own_u[2] : 0.0}};
    // Zero times a number that is not finite is NaN, which the sum keeps.
    double nothing = 0.0 * touch.mu;
    for (int i = 0; i < 3; i++) {
        nothing += 0.0 * touch.r[i] + 0.0 * touch.u[i];
    }
    touch.sound = touch.mu >= 0.0 && nothing == 0.0;
    touch.r_tangent = prob_length(touch.r[1], touch.r[2]);
    touch.slip = prob_length(touch.u[1], touch.u[2]);
    return touch;
}

// |e| of one contact. NaN unless it is sound, so that overflow cannot look like an open contact.
static double contact_error(const prob_touch *touch, double rho) {
    if (!touch->sound) {
        return (double)NAN;
    }
    const double *r = touch->r, *u = touch->u;
    double mu = touch->mu;
    double z[3] = {r[0] - rho * (u[0] + touch->lift * touch->slip), r[1] - rho * u[1],
                   r[2] - rho * u[2]};
    double tangent = prob_length(z[1], z[2]);

    // The nearest point of the cone: the apex, z itself, or a point of the surface.
    double normal_share = 1.0, tangent_share = 1.0;
    if (mu * tangent <= -z[0]) {
        normal_share = tangent_share = 0.0;
    } else if (!(tangent <= mu * z[0])) {
        double normal = (z[0] + mu * tangent) / (1.0 + mu * mu);
        z[0] = normal;
        tangent_share = mu * normal / tangent;
    }
    double error = prob_length3(r[0] - normal_share * z[0], r[1] - tangent_share * z[1],
                                r[2] - tangent_share * z[2]) /
                   rho;
    // A steep cone hides u_N < 0 behind mu |u_T|: Signorini's law by itself, whatever mu.
    double open = r[0] / rho, min = open <= u[0] ? open : u[0];
    double normal = PROB_GRADE_NORMAL_WEIGHT * fabs(min);
    return touch->lift > PROB_GRADE_STEEP && normal > error ? normal : error;
}

// The violations of one contact, each kind by itself.
static void contact_violations(const prob_touch *touch, prob_sizes *sizes) {
    const double *r = touch->r, *u = touch->u;
    double product = r[1] * u[1] + r[2] * u[2] + r[0] * (u[0] + touch->lift * touch->slip);
    sizes->r = prob_larger(sizes->r, prob_length(r[0], touch->r_tangent));
    sizes->u = prob_larger(sizes->u, prob_length(u[0], touch->slip));
    sizes->cone = prob_larger(sizes->cone, prob_larger(touch->r_tangent - touch->mu * r[0], -r[0]));
    sizes->dual = prob_larger(sizes->dual, (touch->mu - touch->lift) * touch->slip - u[0]);
    sizes->product = prob_larger(sizes->product, fabs(product));
}

static void grade_one(const cn_friction *p, bool convex, int32_t a, const double *r,
                      const double *u, const double *trace, prob_contact_sums *sums) {
    prob_touch touch = touch_of(p, convex, a, r, u);
    double rho = trace[a] > 0.0 ? p->dim / trace[a] : 1.0;
    prob_sums_add(sums, a, contact_error(&touch, rho), contact_error(&touch, 1.0));
    contact_violations(&touch, &sums->sizes);
    sums->sizes.trace += trace[a];
}

// The lanes' part, added to the rest.
static void four_end(const prob_four_sums *four, prob_contact_sums *sums) {
    prob_sizes *sizes = &sums->sizes;
    for (int lane = 0; lane < MATH_WIDE; lane++) {
        sums->scaled += four->scaled[lane];
        sums->plain += four->plain[lane];
        sizes->trace += four->trace[lane];
        sizes->r = prob_larger(sizes->r, four->r[lane]);
        sizes->u = prob_larger(sizes->u, four->u[lane]);
        sizes->cone = prob_larger(sizes->cone, four->cone[lane]);
        sizes->dual = prob_larger(sizes->dual, four->dual[lane]);
        sizes->product = prob_larger(sizes->product, four->product[lane]);
    }
}

void prob_sums_join(const prob_contact_sums *part, prob_contact_sums *sums) {
    const prob_sizes *own = &part->sizes;
    prob_sizes *sizes = &sums->sizes;
    sums->scaled += part->scaled;
    sums->plain += part->plain;
    if (!isnan(sums->worst_error) && !(part->worst_error <= sums->worst_error)) {
        sums->worst = part->worst;
        sums->worst_error = part->worst_error;
    }
    sizes->trace += own->trace;
    sizes->r = prob_larger(sizes->r, own->r);
    sizes->u = prob_larger(sizes->u, own->u);
    sizes->offset = prob_larger(sizes->offset, own->offset);
    sizes->cone = prob_larger(sizes->cone, own->cone);
    sizes->dual = prob_larger(sizes->dual, own->dual);
    sizes->product = prob_larger(sizes->product, own->product);
}

void prob_grade_contacts(const cn_friction *p, bool convex, int32_t first, int32_t end,
                         const double *r, const double *u, const double *trace,
                         prob_contact_sums *sums) {
    const math_wide zero = math_wide_all(0.0);
    prob_four_sums four = {zero, zero, zero, zero, zero, zero, zero, zero};
    prob_grade_fours_fn *max = prob_grade_fours_avx512(), *wide = prob_grade_fours_avx2();
    prob_grade_fours_fn *fours = max ? max : wide ? wide : prob_grade_fours;
    for (int32_t a = first; a < end;) {
        a = p->bounds.boxed ? a : fours(p, convex, a, end, r, u, trace, &four, sums);
        int32_t careful = a + MATH_WIDE < end ? a + MATH_WIDE : end;
        for (; a < careful; a++) {
            if (!prob_is_boxed(&p->bounds, a)) {
                grade_one(p, convex, a, r, u, trace, sums);
            }
        }
    }
    four_end(&four, sums);
}
