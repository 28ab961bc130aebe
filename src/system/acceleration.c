// system/acceleration.c
// Accelerations of a Lagrangian system: what the second derivatives of gaps and joints need of the
// rows, and the smooth motion under joints.
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DRIFT_STEP 1e-6 // of the time in which a coordinate changes by its size
#define DRIFT_MIN 1e-30
#define ROUNDINGS 8.0 // units in the last place of the coordinates that joints come back with

// The time over which the motion is looked at: coordinates move by about DRIFT_STEP.
static double drift_time(const cn_system *system, const sys_instant *at) {
    double fastest = 1.0;
    for (int32_t i = 0; i < system->lagrangian.n; i++) {
        fastest = fmax(fastest, fabs(at->v[i]) / fmax(1.0, fabs(at->q[i])));
    }
    return DRIFT_STEP / fmax(fastest, DRIFT_MIN);
}

// The instant shifted along the motion by a time.
static void drift_place(const cn_system *system, const sys_instant *at, double by,
                        sys_instant *work) {
    work->t = at->t + by;
    for (int32_t i = 0; i < system->lagrangian.n; i++) {
        work->q[i] = at->q[i] + by * at->v[i];
    }
}

// drift[i] += factor (rows_i v + rate_i)
static void drift_add(int32_t n, int32_t count, const double *rows, const double *rate,
                      const double *v, double factor, double *drift) {
    for (int32_t i = 0; i < count; i++) {
        double u = rate[i];
        for (int32_t k = 0; k < n; k++) {
            u += rows[(int64_t)n * i + k] * v[k];
        }
        drift[i] += factor * u;
    }
}

void sys_contact_drift(const cn_system *system, const sys_instant *at, sys_instant *work,
                       double *drift) {
    const cn_lagrangian *def = &system->lagrangian;
    int64_t rows = sys_contact_parts(system) * (int64_t)def->contacts;
    double time = drift_time(system, at);
    memset(drift, 0, sizeof(double) * (size_t)rows);
    if (def->contact_drift) {
        def->contact_drift(def->user, at->t, at->q, at->v, drift, drift + def->contacts);
        return;
    }
    for (int32_t side = -1; side <= 1; side += 2) {
        drift_place(system, at, side * time, work);
        memset(work->rows, 0, sizeof(double) * (size_t)(rows * def->n));
        memset(work->rate, 0, sizeof(double) * (size_t)rows);
        def->contact_rows(def->user, work->t, work->q, work->rows,
                          work->rows + (int64_t)def->contacts * def->n, work->rate,
                          work->rate + def->contacts);
        drift_add(def->n, (int32_t)rows, work->rows, work->rate, at->v, side / (2.0 * time), drift);
    }
}

void sys_joint_drift(const cn_system *system, const sys_instant *at, sys_instant *work,
                     double *drift) {
    const cn_lagrangian *def = &system->lagrangian;
    double time = drift_time(system, at);
    memset(drift, 0, sizeof(double) * (size_t)def->joints);
    for (int32_t side = -1; side <= 1; side += 2) {
        drift_place(system, at, side * time, work);
        memset(work->joint_rows, 0, sizeof(double) * (size_t)def->joints * (size_t)def->n);
        memset(work->joint_rate, 0, sizeof(double) * (size_t)def->joints);
        def->joint_rows(def->user, work->t, work->q, work->joint_rows, work->joint_rate);
        drift_add(def->n, def->joints, work->joint_rows, work->joint_rate, at->v,
                  side / (2.0 * time), drift);
    }
}

cn_status sys_smooth_acceleration(cn_system_run *run, const sys_instant *at, double *a,
                                  cn_error *error) {
    const cn_lagrangian *def = &run->system->lagrangian;
    size_t bytes = sizeof(double) * (size_t)def->n;
    memcpy(run->response.K, at->M, bytes * (size_t)def->n);
    CN_TRY(sys_response_prepare(&run->response, at->joint_rows, at->joint_rows, error));
    memcpy(a, at->F, bytes);
    if (def->joints > 0) {
        sys_joint_drift(run->system, at, &run->spare, run->d);
        for (int32_t j = 0; j < def->joints; j++) {
            run->d[j] = -run->d[j];
        }
    }
    sys_response_apply(&run->response, run->d, a);
    return CN_OK;
}

double sys_joint_rounding(const cn_system *system, const double *q) {
    double size = 1.0;
    for (int32_t i = 0; i < system->lagrangian.n; i++) {
        size = fmax(size, fabs(q[i]));
    }
    return system->lagrangian.joints > 0 ? ROUNDINGS * DBL_EPSILON * size : 0.0;
}
