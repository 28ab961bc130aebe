// Nonlinear complementarity problems of the literature, with their published starts, and problems
// of equilibrium, lubrication, hanging chains and power flow. What each test checks them against
// stands in test_ncp.c.
#ifndef CAIRN_TESTS_NCP_PROBLEMS_H
#define CAIRN_TESTS_NCP_PROBLEMS_H

#include <cairn/ncp.h>
#include <math.h>

#define INF HUGE_VAL

// ---- four unknowns: Josephy 1979, Kojima and Shindo 1986 ----

static inline void four_value(const double *z, const double c[6], double *w) {
    w[0] = 3 * z[0] * z[0] + 2 * z[0] * z[1] + 2 * z[1] * z[1] + z[2] + 3 * z[3] - 6;
    w[1] = 2 * z[0] * z[0] + z[0] + z[1] * z[1] + c[0] * z[2] + 2 * z[3] - 2;
    w[2] = 3 * z[0] * z[0] + z[0] * z[1] + 2 * z[1] * z[1] + 2 * z[2] + c[1] * z[3] + c[2];
    w[3] = z[0] * z[0] + 3 * z[1] * z[1] + 2 * z[2] + 3 * z[3] - 3;
}
static inline void four_gradient(const double *z, const double c[6], double *J) {
    const double rows[16] = {
        6 * z[0] + 2 * z[1], 2 * z[0] + 4 * z[1], 1, 3,    4 * z[0] + 1, 2 * z[1], c[0], 2,
        6 * z[0] + z[1],     z[0] + 4 * z[1],     2, c[1], 2 * z[0],     6 * z[1], 2,    3};
    for (int k = 0; k < 16; k++) {
        J[k] = rows[k];
    }
}
static const double josephy[6] = {3, 3, -1}, kojima_shindo[6] = {10, 9, -9};
static inline bool four_F(void *user, const double *z, double *w) {
    four_value(z, user, w);
    return true;
}
static inline bool four_J(void *user, const double *z, double *J) {
    four_gradient(z, user, J);
    return true;
}

// ---- one unknown whose merit has a local minimum at the start's side: Billups 1995 ----

static inline bool billups_F(void *user, const double *z, double *w) {
    (void)user;
    w[0] = (z[0] - 1) * (z[0] - 1) - 1.01;
    return true;
}

// ---- oligopoly of Cournot and Nash: Murphy, Sherali and Soyster 1982; Harker 1988 ----
// Marginal costs c + (L z)^(1/beta).

typedef struct oligopoly {
    int32_t n;
    double gamma;
    const double *c, *beta, *L;
} oligopoly;
static const double five_c[] = {10, 8, 6, 4, 2}, five_beta[] = {1.2, 1.1, 1.0, 0.9, 0.8},
                    five_L[] = {0.2, 0.2, 0.2, 0.2, 0.2};
static const double ten_c[] = {5, 3, 8, 5, 1, 3, 7, 4, 6, 3},
                    ten_beta[] = {1.2, 1.0, 0.9, 0.6, 1.5, 1.0, 0.7, 1.1, 0.95, 0.75},
                    ten_L[] = {10, 10, 10, 10, 10, 10, 10, 10, 10, 10};
static const oligopoly five_firms = {5, 1.1, five_c, five_beta, five_L};
static const oligopoly ten_firms = {10, 1.2, ten_c, ten_beta, ten_L};
static inline bool oligopoly_F(void *user, const double *z, double *w) {
    const oligopoly *o = user;
    double Q = 0.0;
    for (int32_t i = 0; i < o->n; i++) {
        Q += z[i];
    }
    double price = pow(5000.0 / Q, 1.0 / o->gamma);
    for (int32_t i = 0; i < o->n; i++) {
        w[i] =
            o->c[i] + pow(o->L[i] * z[i], 1.0 / o->beta[i]) - price * (1.0 - z[i] / (o->gamma * Q));
    }
    return Q > 0.0;
}

// ---- equilibrium of Walras: Mathiesen 1987 (three prices and an activity) ----

static inline bool mathiesen_F(void *user, const double *z, double *w) {
    const double *b = user; // share, endowments of goods 2 and 3
    w[0] = -z[1] + z[2] + z[3];
    w[1] = z[0] - b[0] * (b[1] * z[2] + b[2] * z[3]) / z[1];
    w[2] = b[1] - z[0] - (1 - b[0]) * (b[1] * z[2] + b[2] * z[3]) / z[2];
    w[3] = b[2] - z[0];
    return z[1] > 0.0 && z[2] > 0.0;
}

// Exchange between consumers with Cobb-Douglas utilities: excess supply at prices z. The prices
// solve linear equations, whatever the method.
#define GOODS 8
#define CONSUMERS 5
typedef struct exchange {
    double share[CONSUMERS][GOODS], endowment[CONSUMERS][GOODS];
} exchange;
static inline bool exchange_F(void *user, const double *z, double *w) {
    const exchange *e = user;
    for (int g = 0; g < GOODS; g++) {
        w[g] = 0.0;
        if (!(z[g] > 0.0)) {
            return false;
        }
    }
    for (int h = 0; h < CONSUMERS; h++) {
        double income = 0.0;
        for (int g = 0; g < GOODS; g++) {
            income += z[g] * e->endowment[h][g];
        }
        for (int g = 0; g < GOODS; g++) {
            w[g] += e->endowment[h][g] - e->share[h][g] * income / z[g];
        }
    }
    return true;
}

// ---- membranes over and between obstacles: -div(grad u / sqrt(1 + c |grad u|^2)) = f ----

typedef struct membrane {
    int32_t side; // unknowns in a row; the edge is held at 0
    double c, load;
} membrane;
static inline double membrane_at(const membrane *m, const double *z, int32_t i, int32_t j) {
    bool inside = i >= 0 && j >= 0 && i < m->side && j < m->side;
    return inside ? z[m->side * i + j] : 0.0;
}
// Derivative of the area of the triangulated surface with respect to its height at i, j.
static inline bool membrane_F(void *user, const double *z, double *w) {
    const membrane *m = user;
    double h = 1.0 / (m->side + 1);
    static const int corner[6][3][2] = {{{0, 0}, {1, 0}, {0, 1}},   {{-1, 0}, {0, 0}, {-1, 1}},
                                        {{0, -1}, {1, -1}, {0, 0}}, {{0, 0}, {-1, 0}, {0, -1}},
                                        {{1, 0}, {0, 0}, {1, -1}},  {{0, 1}, {-1, 1}, {0, 0}}};
    for (int32_t i = 0; i < m->side; i++) {
        for (int32_t j = 0; j < m->side; j++) {
            double sum = 0.0;
            for (int t = 0; t < 6; t++) {
                // The first corner is that of the right angle, with the legs along both axes.
                double u[3];
                for (int k = 0; k < 3; k++) {
                    u[k] = membrane_at(m, z, i + corner[t][k][0], j + corner[t][k][1]);
                }
                double x = (u[1] - u[0]) / h, y = (u[2] - u[0]) / h;
                double root = sqrt(1.0 + m->c * (x * x + y * y));
                bool first = corner[t][0][0] == 0 && corner[t][0][1] == 0;
                bool second = corner[t][1][0] == 0 && corner[t][1][1] == 0;
                sum += (first ? -x - y : (second ? x : y)) / root * h / 2.0;
            }
            w[m->side * i + j] = (sum - m->load * h * h) / (h * h);
        }
    }
    return true;
}
// Rows of the 3 x 3 neighbourhood.
static inline void membrane_pattern(int32_t side, int64_t *start, int32_t *column) {
    int64_t at = 0;
    for (int32_t i = 0; i < side * side; i++) {
        start[i] = at;
        for (int32_t di = -1; di <= 1; di++) {
            for (int32_t dj = -1; dj <= 1; dj++) {
                int32_t a = i / side + di, b = i % side + dj;
                if (a >= 0 && b >= 0 && a < side && b < side) {
                    column[at++] = side * a + b;
                }
            }
        }
    }
    start[side * side] = at;
}

// ---- a long journal bearing: Reynolds' equation with cavitation, elastic and viscous effects ----

typedef struct bearing {
    int32_t n;                             // nodes inside 0 .. 2 pi
    double eccentricity, elastic, viscous; // h = 1 + e cos x + elastic p, eta = exp(viscous p)
} bearing;
static inline double bearing_film(const bearing *b, double x, double p) {
    return 1.0 + b->eccentricity * cos(x) + b->elastic * p;
}
static inline bool bearing_F(void *user, const double *p, double *w) {
    const bearing *b = user;
    double dx = 2.0 * 3.14159265358979323846 / (b->n + 1);
    double flow[2] = {0.0, 0.0};
    for (int32_t i = 0; i <= b->n; i++) { // between nodes i and i + 1
        double left = i > 0 ? p[i - 1] : 0.0, right = i < b->n ? p[i] : 0.0;
        double mean = 0.5 * (left + right), h = bearing_film(b, (i + 0.5) * dx, mean);
        flow[1] =
            h - h * h * h * exp(-b->viscous * mean) * (right - left) / dx; // Couette - Poiseuille
        if (i > 0) {
            w[i - 1] = (flow[1] - flow[0]) / dx;
        }
        flow[0] = flow[1];
    }
    return true;
}

// ---- a hanging chain over a floor: least potential energy, links of given length ----
// Unknowns: x and y of the inner nodes, then the tension of each link. x free, y above the floor.

typedef struct chain {
    int32_t links;
    double span, length; // of the whole chain
} chain;
static inline bool chain_F(void *user, const double *z, double *w) {
    const chain *c = user;
    int32_t inner = c->links - 1;
    double l = c->length / c->links;
    const double *tension = z + 2 * inner;
    for (int32_t i = 0; i < inner; i++) {
        w[2 * i] = 0.0;
        w[2 * i + 1] = l; // weight
    }
    for (int32_t k = 0; k < c->links; k++) {
        double a[2] = {0.0, 0.0}, b[2] = {c->span, 0.0};
        for (int d = 0; d < 2; d++) {
            a[d] = k > 0 ? z[2 * (k - 1) + d] : a[d];
            b[d] = k < inner ? z[2 * k + d] : b[d];
        }
        double d[2] = {b[0] - a[0], b[1] - a[1]};
        w[2 * inner + k] = 0.5 * (l * l - d[0] * d[0] - d[1] * d[1]);
        for (int e = 0; e < 2; e++) {
            if (k > 0) {
                w[2 * (k - 1) + e] -= tension[k] * d[e];
            }
            if (k < inner) {
                w[2 * k + e] += tension[k] * d[e];
            }
        }
    }
    return true;
}

// ---- power flow of three nodes: the generator at node 1 holds its voltage within its limits ----
// Unknowns: angle and voltage of node 1, angle and voltage of node 2, reactive power of node 1.
// Node 0 has voltage 1 and angle 0. All lines have the admittance 1/(r + ix).

typedef struct power {
    double active1, load, reactive_load, held;
} power;
static inline bool power_F(void *user, const double *z, double *w) {
    const power *p = user;
    const double r = 0.02, x = 0.1, g = r / (r * r + x * x), b = -x / (r * r + x * x);
    const double angle[3] = {0.0, z[0], z[2]}, V[3] = {1.0, z[1], z[3]};
    double P[3] = {0}, Q[3] = {0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double G = i == j ? 2 * g : -g, B = i == j ? 2 * b : -b, d = angle[i] - angle[j];
            P[i] += V[i] * V[j] * (G * cos(d) + B * sin(d));
            Q[i] += V[i] * V[j] * (G * sin(d) - B * cos(d));
        }
    }
    w[0] = P[1] - p->active1;
    w[1] = Q[1] - z[4];
    w[2] = P[2] + p->load;
    w[3] = Q[2] + p->reactive_load;
    w[4] = V[1] - p->held;
    return true;
}

#endif
