// problem/grade/grade_contacts.c
// The errors of contacts, one by one, and four at a time where every square is well inside the
// numbers; the same operations in the same order, so a contact's error does not depend on its
// neighbours. Only the sums do, by round-off.
#include "problem/grade/grade_contacts.h"

#include "problem/bounds.h"
#include "problem/grade/grade_contacts_kernel.h"

// r and u of one contact in three dimensions (2D: the third is zero), with the lengths of their
// tangential parts.
typedef struct cn_touch {
    double mu;
    double lift; // u^ = (u_N + lift |u_T|, u_T): mu is Coulomb's law, 0 the convex one
    double r[3], u[3];
    double r_tangent, slip;
    bool sound; // every number is finite and mu is a coefficient
} cn_touch;

static cn_touch cn_touch_of(const cn_friction *p, bool convex, int32_t a, const double *r,
                            const double *u) {
    const double *own_r = r + (int64_t)p->dim * a, *own_u = u + (int64_t)p->dim * a;
    bool solid = p->dim == 3;
    cn_touch touch = {.mu = p->mu[a],
                      .lift = convex ? 0.0 : p->mu[a],
                      .r = {own_r[0], own_r[1], solid ? own_r[2] : 0.0},
                      .u = {own_u[0], own_u[1], solid ? own_u[2] : 0.0}};
    // Zero times a number that is not finite is NaN, which the sum keeps.
    double nothing = 0.0 * touch.mu;
    for (int i = 0; i < 3; i++) {
        nothing += 0.0 * touch.r[i] + 0.0 * touch.u[i];
    }
    touch.sound = touch.mu >= 0.0 && nothing == 0.0;
    touch.r_tangent = cn_length(touch.r[1], touch.r[2]);
    touch.slip = cn_length(touch.u[1], touch.u[2]);
    return touch;
}

// |e| of one contact. NaN unless it is sound, so that overflow cannot look like an open contact.
static double cn_contact_error(const cn_touch *touch, double rho) {
    if (!touch->sound) {
        return (double)NAN;
    }
    const double *r = touch->r, *u = touch->u;
    double mu = touch->mu;
    double z[3] = {r[0] - rho * (u[0] + touch->lift * touch->slip), r[1] - rho * u[1],
                   r[2] - rho * u[2]};
    double tangent = cn_length(z[1], z[2]);

    // The nearest point of the cone: the apex, z itself, or a point of the surface.
    double normal_share = 1.0, tangent_share = 1.0;
    if (mu * tangent <= -z[0]) {
        normal_share = tangent_share = 0.0;
    } else if (!(tangent <= mu * z[0])) {
        double normal = (z[0] + mu * tangent) / (1.0 + mu * mu);
        z[0] = normal;
        tangent_share = mu * normal / tangent;
    }
    double error = cn_length3(r[0] - normal_share * z[0], r[1] - tangent_share * z[1],
                              r[2] - tangent_share * z[2]) /
                   rho;
    // A steep cone hides u_N < 0 behind mu |u_T|: Signorini's law by itself, whatever mu.
    double open = r[0] / rho, least = open <= u[0] ? open : u[0];
    double normal = CN_GRADE_NORMAL_WEIGHT * fabs(least);
    return touch->lift > CN_GRADE_STEEP && normal > error ? normal : error;
}

// The violations of one contact, each kind by itself.
static void cn_contact_violations(const cn_touch *touch, cn_sizes *sizes) {
    const double *r = touch->r, *u = touch->u;
    double product = r[1] * u[1] + r[2] * u[2] + r[0] * (u[0] + touch->lift * touch->slip);
    sizes->r = cn_larger(sizes->r, cn_length(r[0], touch->r_tangent));
    sizes->u = cn_larger(sizes->u, cn_length(u[0], touch->slip));
    sizes->cone = cn_larger(sizes->cone, cn_larger(touch->r_tangent - touch->mu * r[0], -r[0]));
    sizes->dual = cn_larger(sizes->dual, (touch->mu - touch->lift) * touch->slip - u[0]);
    sizes->product = cn_larger(sizes->product, fabs(product));
}

static void cn_grade_one(const cn_friction *p, bool convex, int32_t a, const double *r,
                         const double *u, const double *trace, cn_contact_sums *sums) {
    cn_touch touch = cn_touch_of(p, convex, a, r, u);
    double rho = trace[a] > 0.0 ? p->dim / trace[a] : 1.0;
    cn_sums_add(sums, a, cn_contact_error(&touch, rho), cn_contact_error(&touch, 1.0));
    cn_contact_violations(&touch, &sums->sizes);
    sums->sizes.trace += trace[a];
}

// The lanes' part, added to the rest.
static void cn_four_end(const cn_four_sums *four, cn_contact_sums *sums) {
    cn_sizes *sizes = &sums->sizes;
    for (int lane = 0; lane < CN_WIDE; lane++) {
        sums->scaled += four->scaled[lane];
        sums->plain += four->plain[lane];
        sizes->trace += four->trace[lane];
        sizes->r = cn_larger(sizes->r, four->r[lane]);
        sizes->u = cn_larger(sizes->u, four->u[lane]);
        sizes->cone = cn_larger(sizes->cone, four->cone[lane]);
        sizes->dual = cn_larger(sizes->dual, four->dual[lane]);
        sizes->product = cn_larger(sizes->product, four->product[lane]);
    }
}

void cn_sums_join(const cn_contact_sums *part, cn_contact_sums *sums) {
    const cn_sizes *own = &part->sizes;
    cn_sizes *sizes = &sums->sizes;
    sums->scaled += part->scaled;
    sums->plain += part->plain;
    if (!isnan(sums->worst_error) && !(part->worst_error <= sums->worst_error)) {
        sums->worst = part->worst;
        sums->worst_error = part->worst_error;
    }
    sizes->trace += own->trace;
    sizes->r = cn_larger(sizes->r, own->r);
    sizes->u = cn_larger(sizes->u, own->u);
    sizes->offset = cn_larger(sizes->offset, own->offset);
    sizes->cone = cn_larger(sizes->cone, own->cone);
    sizes->dual = cn_larger(sizes->dual, own->dual);
    sizes->product = cn_larger(sizes->product, own->product);
}

void cn_grade_contacts(const cn_friction *p, bool convex, int32_t first, int32_t end,
                       const double *r, const double *u, const double *trace,
                       cn_contact_sums *sums) {
    const cn_wide zero = cn_wide_all(0.0);
    cn_four_sums four = {zero, zero, zero, zero, zero, zero, zero, zero};
    cn_grade_fours_fn *most = cn_grade_fours_avx512(), *wide = cn_grade_fours_avx2();
    cn_grade_fours_fn *fours = most ? most : wide ? wide : cn_grade_fours;
    for (int32_t a = first; a < end;) {
        a = p->bounds.boxed ? a : fours(p, convex, a, end, r, u, trace, &four, sums);
        int32_t careful = a + CN_WIDE < end ? a + CN_WIDE : end;
        for (; a < careful; a++) {
            if (!cn_is_boxed(&p->bounds, a)) {
                cn_grade_one(p, convex, a, r, u, trace, sums);
            }
        }
    }
    cn_four_end(&four, sums);
}
