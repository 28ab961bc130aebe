// system/smooth.c
// Smooth phases between events: with the modes of the contacts held,
//     M a = F + G' s + (closed) H_N' l_N + (sticking) H_T' l_T - (sliding) mu sgn(u_T) H_T' l_N
// under the joints' and contacts' second derivatives being zero, integrated by the explicit pair of
// Dormand and Prince, orders 5 and 4, with a step that keeps the local error below opts.accuracy.
// Reference: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.5.
//
// For stiff forces the steps become short: "generalized-alpha" or "moreau-jean" are the remedy.
#include "base/error.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

#define STAGES 7

// Rows of the pair: the last is the solution of order 5, which is also the last stage.
static const double pair_a[STAGES][STAGES - 1] = {
    {0.0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
static const double pair_c[STAGES] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
static const double pair_error[STAGES] = {
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

bool sys_smooth_allocate(cn_system_run *run) {
    const cn_lagrangian *def = &run->system->lagrangian;
    cn_arena *memory = run->memory;
    int32_t n = def->n, rows = def->joints + 2 * def->contacts;
    sys_smooth *s = BASE_TAKE_ZERO(memory, sys_smooth, 1);
    if (!s) {
        return false;
    }
    run->smooth = s;
    s->G = BASE_TAKE_ZERO(memory, double, (int64_t)rows *n);
    s->E = BASE_TAKE_ZERO(memory, double, (int64_t)rows *n);
    s->d = BASE_TAKE_ZERO(memory, double, rows);
    s->drift =
        BASE_TAKE_ZERO(memory, double, sys_contact_parts(run->system) * (int64_t)def->contacts);
    s->lambda = BASE_TAKE_ZERO(memory, double, 2 * (int64_t)def->contacts);
    s->gap = BASE_TAKE_ZERO(memory, double, def->contacts);
    s->gap_rate = BASE_TAKE_ZERO(memory, double, def->contacts);
    s->value = BASE_TAKE_ZERO(memory, double, SYS_EVENT_KINDS *(int64_t)def->contacts);
    s->rate = BASE_TAKE_ZERO(memory, double, def->contacts);
    s->bounced = BASE_TAKE_ZERO(memory, bool, def->contacts);
    s->stage = BASE_TAKE_ZERO(memory, double, 2 * (int64_t)n * STAGES);
    double **vectors[] = {&s->y, &s->y_stage, &s->y_end, &s->y_error};
    bool good = s->G && s->E && s->d && s->drift && s->lambda && s->gap && s->gap_rate &&
                s->value && s->rate && s->bounced && s->stage;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = BASE_TAKE_ZERO(memory, double, 2 * (int64_t)n);
        good = good && *vectors[i];
    }
    return good && sys_instant_allocate(run->system, memory, &s->at) &&
           sys_response_allocate(n, rows, memory, &s->response);
}

// ---- the equations ----

// The sign of sliding of a mode, 0 for the others.
static double mode_sign(double mode) {
    return mode == SYS_MODE_SLIDE_UP ? 1.0 : mode == SYS_MODE_SLIDE_DOWN ? -1.0 : 0.0;
}

// One row more: G from row i of contact c, E with the friction that the normal force brings.
static void smooth_add(const cn_system *system, sys_smooth *s, int32_t *rows, int32_t c, int32_t i,
                       double friction) {
    int32_t n = system->lagrangian.n, contacts = system->lagrangian.contacts;
    const double *row = s->at.rows + (int64_t)n * ((int64_t)contacts * i + c);
    const double *tangent = s->at.rows + (int64_t)n * ((int64_t)contacts + c);
    double *G = s->G + (int64_t)n * *rows, *E = s->E + (int64_t)n * *rows;
    for (int32_t k = 0; k < n; k++) {
        G[k] = row[k];
        E[k] = row[k] + friction * tangent[k];
    }
    s->d[(*rows)++] = -s->drift[(int64_t)contacts * i + c];
}

// The rows of joints and closed contacts at the instant s->at, with the right sides of the
// accelerations; the response is prepared with M. false: no closed contact nor joint.
static cn_status smooth_rows(cn_system_run *run, cn_error *error) {
    const cn_system *system = run->system;
    const cn_lagrangian *def = &system->lagrangian;
    sys_smooth *s = run->smooth;
    int64_t n = def->n;
    int32_t rows = def->joints;
    memcpy(s->G, s->at.joint_rows, sizeof(double) * (size_t)(n * def->joints));
    memcpy(s->E, s->at.joint_rows, sizeof(double) * (size_t)(n * def->joints));
    if (def->joints > 0) {
        sys_joint_drift(system, &s->at, &run->spare, s->d);
        for (int32_t j = 0; j < def->joints; j++) {
            s->d[j] = -s->d[j];
        }
    }
    bool closed = false;
    for (int32_t c = 0; c < def->contacts; c++) {
        closed = closed || run->mode[c] != SYS_MODE_OPEN;
    }
    if (closed) {
        sys_contact_drift(system, &s->at, &run->spare, s->drift);
    }
    for (int32_t c = 0; c < def->contacts; c++) {
        if (run->mode[c] != SYS_MODE_OPEN) {
            smooth_add(system, s, &rows, c, 0, -def->contact[c].friction * mode_sign(run->mode[c]));
        }
        if (run->mode[c] == SYS_MODE_STICK) {
            smooth_add(system, s, &rows, c, 1, 0.0);
        }
    }
    memcpy(s->response.K, s->at.M, sizeof(double) * (size_t)(n * n));
    s->response.joints = rows;
    return sys_response_prepare(&s->response, s->G, s->E, error);
}

cn_status sys_smooth_rates(cn_system_run *run, double t, const double *y, double *a,
                           cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_smooth *s = run->smooth;
    size_t bytes = sizeof(double) * (size_t)def->n;
    s->at.t = t;
    memcpy(s->at.q, y, bytes);
    memcpy(s->at.v, y + def->n, bytes);
    CN_TRY(sys_instant_evaluate(run->system, &s->at, error));
    CN_TRY(smooth_rows(run, error));

    memcpy(a, s->at.F, bytes);
    sys_response_apply(&s->response, s->d, a);
    int32_t row = def->joints;
    for (int32_t c = 0; c < def->contacts; c++) {
        double sign = mode_sign(run->mode[c]);
        s->lambda[2 * c] = s->lambda[2 * c + 1] = 0.0;
        if (run->mode[c] != SYS_MODE_OPEN) {
            s->lambda[2 * c] = s->response.s[row++];
            s->lambda[2 * c + 1] = -sign * def->contact[c].friction * s->lambda[2 * c];
        }
        if (run->mode[c] == SYS_MODE_STICK) {
            s->lambda[2 * c + 1] = s->response.s[row++];
        }
    }
    return CN_OK;
}

// ---- one step ----

// Rates of stage k from the state y.
static cn_status smooth_stage(cn_system_run *run, double t, const double *y, int32_t k,
                              cn_error *error) {
    int32_t n = run->system->lagrangian.n;
    double *rates = run->smooth->stage + 2 * (int64_t)n * k;
    memcpy(rates, y + n, sizeof(double) * (size_t)n);
    return sys_smooth_rates(run, t, y, rates + n, error);
}

cn_status sys_smooth_begin(cn_system_run *run, double t, cn_error *error) {
    return smooth_stage(run, t, run->smooth->y, 0, error);
}

cn_status sys_smooth_try(cn_system_run *run, double t, double h, cn_error *error) {
    sys_smooth *s = run->smooth;
    int64_t size = 2 * (int64_t)run->system->lagrangian.n;
    for (int32_t k = 1; k < STAGES; k++) {
        double *y = k == STAGES - 1 ? s->y_end : s->y_stage;
        for (int64_t i = 0; i < size; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < k; j++) {
                sum += pair_a[k][j] * s->stage[size * j + i];
            }
            y[i] = s->y[i] + h * sum;
        }
        CN_TRY(smooth_stage(run, t + pair_c[k] * h, y, k, error));
    }
    for (int64_t i = 0; i < size; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < STAGES; j++) {
            sum += pair_error[j] * s->stage[size * j + i];
        }
        s->y_error[i] = h * sum;
    }
    return CN_OK;
}

double sys_smooth_error(const cn_system_run *run) {
    const sys_smooth *s = run->smooth;
    int32_t n = run->system->lagrangian.n;
    double worst = 0.0;
    for (int32_t part = 0; part < 2; part++) {
        double off = 0.0, size = 1.0;
        for (int32_t i = n * part; i < n * (part + 1); i++) {
            double by = fabs(s->y_error[i]);
            off = by <= off ? off : by;
            size = fmax(size, fmax(fabs(s->y[i]), fabs(s->y_end[i])));
        }
        double ratio = off / (run->opts.accuracy * size);
        worst = ratio <= worst ? worst : ratio;
    }
    return worst;
}

// ---- projection ----

cn_status sys_smooth_project(cn_system_run *run, double t, cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    sys_smooth *s = run->smooth;
    int32_t n = def->n;
    cn_status status = CN_OK;
    for (int32_t part = 0; status == CN_OK && part < 2; part++) {
        // First the coordinates, then the velocities where the coordinates have come to be.
        s->at.t = t;
        memcpy(s->at.q, s->y, sizeof(double) * (size_t)n);
        memcpy(s->at.v, s->y + n, sizeof(double) * (size_t)n);
        status = sys_instant_evaluate(run->system, &s->at, error);
        if (status == CN_OK) {
            status = smooth_rows(run, error);
        }
        if (status != CN_OK || s->response.joints == 0) {
            return status;
        }
        int32_t row = 0;
        for (int32_t j = 0; j < def->joints; j++) {
            double rate = s->at.joint_rate[j];
            for (int32_t k = 0; k < n; k++) {
                rate += s->at.joint_rows[(int64_t)n * j + k] * s->at.v[k];
            }
            s->d[row++] = part == 0 ? -s->at.theta[j] : -rate;
        }
        for (int32_t c = 0; c < def->contacts; c++) {
            if (run->mode[c] != SYS_MODE_OPEN) {
                double rate = sys_instant_velocity(run->system, &s->at, c, 0, s->at.v);
                s->d[row++] = part == 0 ? -s->at.gap[c] : -rate;
            }
            if (run->mode[c] == SYS_MODE_STICK) {
                double rate = sys_instant_velocity(run->system, &s->at, c, 1, s->at.v);
                s->d[row++] = part == 0 ? 0.0 : -rate;
            }
        }
        double *change = run->change;
        memset(change, 0, sizeof(double) * (size_t)n);
        sys_response_apply(&s->response, s->d, change);
        for (int32_t k = 0; k < n; k++) {
            s->y[n * part + k] += change[k];
        }
    }
    return status;
}
