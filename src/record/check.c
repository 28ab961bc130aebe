// record/check.c
// A run file verified without the solver: the hash of every frame, and the law of every recorded
// contact.
//
// Vectors are in world axes, so the tangential part of x is x - (x . n) n and no frame is needed.
// With w = u + s and w^ = w + mu |w_T| n the law is  K* contains w^  orthogonal to  r in K;  e = (r
// - P_K(r - rho w^)) / rho measures it in [m/s], rho being the reduced mass of the two bodies. The
// residual of a frame is |e| over the norm of r / rho and of u_i + s where it presses: near the
// default measure, which cannot be had exactly without W. Runs with convex friction have w^ = w.
#include "record/run.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_TINY_SPEED 1e-12 // [m/s] a frame whose impulses are worth less is judged absolutely

// Inverse masses by body id; 0 for what does not answer to impulses.
static cn_status cn_read_masses(cn_run *run, double *inverse, cn_error *error) {
    cn_statement *select;
    bool row = true;
    cn_status status = cn_database_prepare(run->database, "SELECT mass, kind FROM body ORDER BY id",
                                           &select, error);
    for (int32_t i = 0; status == CN_OK && i < run->bodies; i++) {
        status = cn_statement_step(run->database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        double mass = cn_column_real(select, 0);
        inverse[i] =
            strcmp(cn_column_text(select, 1), "rigid") == 0 && mass > 0.0 ? 1.0 / mass : 0.0;
    }
    cn_statement_end(select);
    return status;
}

// P_K of z, as a vector of the world.
static void cn_project(double mu, const double n[3], double z[3]) {
    double normal = cn_dot3(z, n), tangent[3];
    cn_add_scaled3(z, -normal, n, tangent);
    double length = cn_norm3(tangent);
    if (mu * length <= -normal) {
        z[0] = z[1] = z[2] = 0.0;
    } else if (length > mu * normal) {
        double s = (normal + mu * length) / (1.0 + mu * mu);
        for (int k = 0; k < 3; k++) {
            z[k] = s * n[k] + mu * s * tangent[k] / length;
        }
    }
}

typedef struct cn_frame_sums {
    double error, size;                       // squares [m2/s2]
    double cone, dual, product, force, speed; // largest values
} cn_frame_sums;

// What a contact brings to the step if it presses: |u_i + s| squared [m2/s2].
static double cn_pressing(const cn_contact_record *c) {
    double start[3];
    cn_add_scaled3(c->velocity_before, 1.0, c->shift, start);
    return cn_dot3(start, c->normal) < 0.0 ? cn_dot3(start, start) : 0.0;
}

// convex: the law is without mu |w_T|.
static void cn_check_contact(const cn_contact_record *c, double inverse_mass, bool convex,
                             cn_frame_sums *sums) {
    double rho = inverse_mass > 0.0 ? 1.0 / inverse_mass : 1.0;
    double w[3], tangent[3], hat[3], z[3], force_tangent[3], e[3];
    cn_add_scaled3(c->velocity, 1.0, c->shift, w);
    double normal = cn_dot3(w, c->normal), force = cn_dot3(c->impulse, c->normal);
    cn_add_scaled3(w, -normal, c->normal, tangent);
    cn_add_scaled3(c->impulse, -force, c->normal, force_tangent);
    double slip = c->friction * cn_norm3(tangent);
    cn_add_scaled3(w, convex ? 0.0 : slip, c->normal, hat);
    cn_add_scaled3(c->impulse, -rho, hat, z);
    cn_project(c->friction, c->normal, z);
    cn_sub3(c->impulse, z, e);
    sums->error += cn_dot3(e, e) / (rho * rho);
    sums->size += cn_dot3(c->impulse, c->impulse) / (rho * rho) + cn_pressing(c);
    sums->cone = fmax(sums->cone, fmax(-force, cn_norm3(force_tangent) - c->friction * force));
    sums->dual = fmax(sums->dual, convex ? slip - normal : -normal);
    sums->product = fmax(sums->product, fabs(cn_dot3(c->impulse, hat)));
    sums->force = fmax(sums->force, cn_norm3(c->impulse));
    // The scale of velocities is also that of what the impulses change: at rest all of them are 0.
    sums->speed = fmax(sums->speed, fmax(cn_norm3(hat), cn_norm3(c->impulse) / rho));
}

static double cn_share(double part, double whole) {
    return whole > 0.0 ? part / whole : part;
}

static cn_status cn_check_contacts(cn_run *run, int64_t index, int64_t step, const double *inverse,
                                   cn_arena *memory, cn_run_grade *grade, cn_error *error) {
    cn_contact_record *contacts;
    int32_t count;
    cn_status status = cn_run_contacts(run, index, memory, &contacts, &count, error);
    if (status != CN_OK) {
        return status;
    }
    cn_frame_sums sums = {0};
    for (int32_t i = 0; i < count; i++) {
        const cn_contact_record *c = &contacts[i];
        if (c->candidate < 1 || c->candidate > run->bodies || c->antagonist < 1 ||
            c->antagonist > run->bodies) {
            return cn_fail(error, CN_ERR_INPUT,
                           "contact %d of step %lld names a body that is not there", (int)i,
                           (long long)step);
        }
        cn_check_contact(c, inverse[c->candidate - 1] + inverse[c->antagonist - 1], run->convex,
                         &sums);
    }
    double size = sqrt(sums.size);
    double residual = sqrt(sums.error) / (size > CN_TINY_SPEED ? size : 1.0);
    if (!(residual <= grade->residual_worst)) {
        grade->residual_worst = residual;
        grade->worst_step = step;
    }
    grade->cone_violation = fmax(grade->cone_violation, cn_share(fmax(0.0, sums.cone), sums.force));
    grade->dual_violation = fmax(grade->dual_violation, cn_share(fmax(0.0, sums.dual), sums.speed));
    grade->complementarity =
        fmax(grade->complementarity, cn_share(sums.product, sums.force * sums.speed));
    grade->contacts += count;
    return CN_OK;
}

static cn_status cn_check_hash(cn_run *run, int64_t step, const double *q, const double *v,
                               cn_run_grade *grade, cn_error *error) {
    cn_statement *select;
    bool row = false;
    cn_status status =
        cn_database_prepare(run->database, "SELECT hash FROM frame WHERE step=?", &select, error);
    if (status != CN_OK) {
        return status;
    }
    char hash[CN_HASH_TEXT];
    cn_bind_int(select, 1, step);
    status = cn_statement_step(run->database, select, &row, error);
    cn_hash_text(cn_hash_state(step, q, (int64_t)cn_pose_size(run->dim) * run->bodies, v,
                               (int64_t)cn_velocity_size(run->dim) * run->bodies),
                 hash);
    grade->bad_hashes += row && strcmp(hash, cn_column_text(select, 0)) != 0;
    cn_statement_end(select);
    return status;
}

// Unsolved steps, and what the energy balance leaves over the whole run.
static cn_status cn_check_ledger(cn_run *run, cn_arena *memory, cn_run_grade *grade,
                                 cn_error *error) {
    cn_step_report *rows;
    int64_t count;
    cn_status status = cn_run_ledger(run, memory, &rows, &count, error);
    const char *initial = cn_run_meta(run, "energy_initial");
    double balance = initial ? -strtod(initial, NULL) : 0.0;
    for (int64_t i = 0; status == CN_OK && i < count; i++) {
        grade->unsolved_steps += rows[i].outcome != CN_SOLVED;
        balance += rows[i].dissipated_friction + rows[i].dissipated_impact +
                   rows[i].dissipated_numerical - rows[i].work_external - rows[i].work_joints -
                   rows[i].work_correction;
    }
    if (status == CN_OK && count > 0) {
        grade->energy_balance_error = balance + rows[count - 1].kinetic + rows[count - 1].potential;
    }
    return status;
}

cn_status cn_run_check(cn_run *run, cn_run_grade *grade, cn_error *error) {
    cn_arena *memory = cn_arena_create(cn_arena_env(run->memory));
    *grade = (cn_run_grade){.frames = run->frames};
    if (!memory) {
        return cn_fail_memory(error);
    }
    double *inverse = CN_TAKE_ZERO(memory, double, run->bodies);
    double *q = CN_TAKE(memory, double, (int64_t)cn_pose_size(run->dim) * run->bodies);
    double *v = CN_TAKE(memory, double, (int64_t)cn_velocity_size(run->dim) * run->bodies);
    cn_status status =
        inverse && q && v ? cn_read_masses(run, inverse, error) : cn_fail_memory(error);
    for (int64_t i = 0; status == CN_OK && i < run->frames; i++) {
        cn_arena_mark mark = cn_arena_get_mark(memory);
        int64_t step;
        double t;
        status = cn_run_frame(run, i, &step, &t, q, v, error);
        status = status == CN_OK ? cn_check_hash(run, step, q, v, grade, error) : status;
        status = status == CN_OK ? cn_check_contacts(run, i, step, inverse, memory, grade, error)
                                 : status;
        cn_arena_release(memory, mark);
    }
    status = status == CN_OK ? cn_check_ledger(run, memory, grade, error) : status;
    cn_arena_destroy(memory);
    return status;
}
