// cairn/plugin.h
// Systems, controllers and solvers in shared libraries. A plug-in runs code, so that scenes with
// plug-ins are refused unless the user allows them (cn_env.allow_plugins, `cairn run
// --allow-plugins`).
//
// A scene names those with systems and controllers in `plugins: [file]`, one with a solver in
// `solver: {plugin: file}`; `cairn solve --plugin FILE` takes one as well.
//
// A plug-in has one symbol, which gives a table that lives as long as the library:
//
//     const cn_plugin *cn_plugin_v1(void) { return &table; }
//     const cn_solver_plugin *cn_solver_plugin_v1(void) { return &table; }
//
// examples/system_plugin.c and examples/solver_plugin.c are two.
#ifndef CAIRN_PLUGIN_H
#define CAIRN_PLUGIN_H

#include <cairn/solve.h>
#include <cairn/system.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CN_PLUGIN_VERSION 1
#define CN_PLUGIN_SYMBOL "cn_plugin_v1"

// A name of the scene's `parameters` with its value.
typedef struct cn_plugin_value {
    const char *name;
    double value;
} cn_plugin_value;

// A sample of a controller: sensors in the scene's order, outputs to be written, memory of its own.
typedef struct cn_plugin_sample {
    double t, period; // [s]
    const double *sensors;
    int32_t sensor_count;
    double *outputs;
    int32_t output_count;
    double *memory; // cn_plugin.memory numbers, zero at the start; part of the state
} cn_plugin_sample;

typedef struct cn_plugin {
    uint32_t version; // CN_PLUGIN_VERSION
    const char *name; // as scenes call it
    // Describes a system; NULL: there is none. What user points to is given back by hooks.end.
    // false with a sentence in message where the values do not do.
    bool (*system)(const cn_plugin_value *values, int32_t count, cn_lagrangian *out, char *message,
                   size_t size);
    // A controller; NULL: there is none.
    void (*control)(const cn_plugin_sample *sample);
    int32_t memory; // numbers that the controller keeps
} cn_plugin;

typedef const cn_plugin *cn_plugin_fn(void);

// ---- solvers ----

#define CN_SOLVER_PLUGIN_VERSION 1
#define CN_SOLVER_PLUGIN_SYMBOL "cn_solver_plugin_v1"

// What the library was compiled with, so that structs of another size are refused:
// {CN_SOLVER_PLUGIN_VERSION, sizeof(cn_solve_opts), sizeof(cn_friction), &solver, NULL}.
typedef struct cn_solver_plugin {
    uint32_t version;
    uint32_t opts_size, friction_size;
    const cn_friction_solver *friction; // NULL: none
    const cn_lcp_solver *lcp;           // NULL: none
} cn_solver_plugin;

typedef const cn_solver_plugin *cn_solver_plugin_fn(void);

// Loads the library and looks at its table before it is used; the caller has permission to run
// code. *library is for cn_solver_plugin_close, after all that uses the solver.
CN_API cn_status cn_solver_plugin_open(const char *path, void **library,
                                       const cn_solver_plugin **out, cn_error *error);
CN_API void cn_solver_plugin_close(void *library); // NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
