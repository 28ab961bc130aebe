// A plug-in: a pendulum that may hit a wall, as a system of one angle, and a controller that holds
// it at an angle. Build it as a shared library and name it in a scene:
//
//     cc -shared -fPIC -o pendulum.so system_plugin.c
//
//     plugins: [pendulum.so]
//     system: {plugin: pendulum, parameters: {length: 1, wall: 0.5}}
//
//     cairn run scene.yaml --allow-plugins
#include <cairn/plugin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pendulum {
    double length, gravity, wall, start, restitution;
    cn_lagrangian_contact contact;
} pendulum;

static void pendulum_mass(void *user, const double *q, double *M) {
    const pendulum *p = user;
    (void)q;
    M[0] = p->length * p->length;
}

static void pendulum_force(void *user, double t, const double *q, const double *v, double *F) {
    const pendulum *p = user;
    (void)t;
    (void)v;
    F[0] = -p->gravity * p->length * sin(q[0]);
}

static double pendulum_potential(void *user, double t, const double *q) {
    const pendulum *p = user;
    (void)t;
    return -p->gravity * p->length * cos(q[0]);
}

// The wall stands at x = -wall, the bob is a point.
static void pendulum_gap(void *user, double t, const double *q, double *g) {
    const pendulum *p = user;
    (void)t;
    g[0] = p->length * sin(q[0]) + p->wall;
}

static void pendulum_rows(void *user, double t, const double *q, double *normal, double *tangent,
                          double *normal_rate, double *tangent_rate) {
    const pendulum *p = user;
    (void)t;
    (void)tangent;
    (void)normal_rate;
    (void)tangent_rate;
    normal[0] = p->length * cos(q[0]);
}

static bool pendulum_system(const cn_plugin_value *values, int32_t count, cn_lagrangian *out,
                            char *message, size_t size) {
    pendulum *p = calloc(1, sizeof *p);
    if (!p) {
        snprintf(message, size, "out of memory");
        return false;
    }
    *p = (pendulum){.length = 1, .gravity = 9.81, .wall = 0.5, .start = 1, .restitution = 0.5};
    for (int32_t i = 0; i < count; i++) {
        double *const place[] = {&p->length, &p->gravity, &p->wall, &p->start, &p->restitution};
        static const char *const names[] = {"length", "gravity", "wall", "start", "restitution"};
        size_t k = 0;
        while (k < 5 && strcmp(values[i].name, names[k]) != 0) {
            k++;
        }
        if (k == 5) {
            snprintf(message, size, "the pendulum has no parameter %s", values[i].name);
            free(p);
            return false;
        }
        *place[k] = values[i].value;
    }
    p->contact = (cn_lagrangian_contact){.name = "wall", .restitution = p->restitution};
    out->n = 1;
    out->name = "pendulum";
    out->q = &p->start;
    out->user = p;
    out->mass = pendulum_mass;
    out->force = pendulum_force;
    out->potential = pendulum_potential;
    out->contacts = 1;
    out->contact = &p->contact;
    out->gap = pendulum_gap;
    out->contact_rows = pendulum_rows;
    out->hooks.end = free;
    return true;
}

// Proportional with an integral: output 1 from sensor 1.
static void pendulum_control(const cn_plugin_sample *sample) {
    if (sample->sensor_count > 0 && sample->output_count > 0) {
        sample->memory[0] += sample->period * sample->sensors[0];
        sample->outputs[0] = -20.0 * sample->sensors[0] - 10.0 * sample->memory[0];
    }
}

static const cn_plugin table = {.version = CN_PLUGIN_VERSION,
                                .name = "pendulum",
                                .system = pendulum_system,
                                .control = pendulum_control,
                                .memory = 1};

const cn_plugin *cn_plugin_v1(void);
const cn_plugin *cn_plugin_v1(void) {
    return &table;
}
