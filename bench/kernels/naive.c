// bench/kernels/naive.c
#include "naive.h"

#include <math.h>

void naive_spheres(int32_t contacts, naive_contact *contact, naive_body *body) {
    for (int32_t i = 0; i < contacts; i++) {
        naive_contact *c = &contact[i];
        naive_body *a = &body[c->a], *b = &body[c->b];
        // the relative velocity at the contact
        double s[3], dv[3], u[3];
        for (int k = 0; k < 3; k++) {
            s[k] = c->radius_a * a->w[k] + c->radius_b * b->w[k];
        }
        dv[0] = b->v[0] - a->v[0] - (s[1] * c->n[2] - s[2] * c->n[1]);
        dv[1] = b->v[1] - a->v[1] - (s[2] * c->n[0] - s[0] * c->n[2]);
        dv[2] = b->v[2] - a->v[2] - (s[0] * c->n[1] - s[1] * c->n[0]);
        u[0] = c->q[0] + dv[0] * c->n[0] + dv[1] * c->n[1] + dv[2] * c->n[2];
        for (int j = 0; j < 2; j++) {
            const double *t = c->t[j];
            u[1 + j] = c->q[1 + j] + dv[0] * t[0] + dv[1] * t[1] + dv[2] * t[2];
        }
        // the impulse that stops it, cut to the cone
        double r[3] = {c->r[0] - u[0] / c->wn, c->r[1] - u[1] / c->wt, c->r[2] - u[2] / c->wt};
        r[0] = r[0] > 0.0 ? r[0] : 0.0;
        double limit = c->mu * r[0], length = sqrt(r[1] * r[1] + r[2] * r[2]);
        if (length > limit) {
            r[1] *= limit / length;
            r[2] *= limit / length;
        }
        // what it changes
        double d[3], moment[3];
        for (int k = 0; k < 3; k++) {
            d[k] = (r[0] - c->r[0]) * c->n[k] + (r[1] - c->r[1]) * c->t[0][k] +
                   (r[2] - c->r[2]) * c->t[1][k];
        }
        moment[0] = c->n[1] * d[2] - c->n[2] * d[1];
        moment[1] = c->n[2] * d[0] - c->n[0] * d[2];
        moment[2] = c->n[0] * d[1] - c->n[1] * d[0];
        for (int k = 0; k < 3; k++) {
            a->v[k] -= a->inv_mass * d[k];
            b->v[k] += b->inv_mass * d[k];
            a->w[k] -= a->inv_inertia * c->radius_a * moment[k];
            b->w[k] -= b->inv_inertia * c->radius_b * moment[k];
            c->r[k] = r[k];
        }
    }
}
