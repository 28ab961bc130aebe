// system/script.h
// Systems and their controllers given as texts: expressions in t, q1.., v1.., named parameters,
// definitions, what controllers put out, and where there are controllers the normal impulses p1..
// of the contacts over the last step.
//
// Rows of contacts and joints that are not given are taken by differences of the gaps and joints.
// Controllers are sampled at multiples of their period: sensors are evaluated, then outputs, then
// the memory's next values; all keep their values in between and belong to the state.
//
// A script holds compiled expressions and the values of their variables, so that each run has one
// of its own: sys_script_copy. The one that was created from texts stays as it was made.
#ifndef CAIRN_SYSTEM_SCRIPT_H
#define CAIRN_SYSTEM_SCRIPT_H

#include <cairn/plugin.h>
#include <cairn/source.h>
#include <cairn/system.h>

// An expression, or a number where text is NULL.
typedef struct sys_script_text {
    const char *text;
    double number;
    cn_source source; // of its first letter
} sys_script_text;

typedef struct sys_script_list {
    sys_script_text *of;
    int32_t count; // 0: not given
} sys_script_list;

typedef struct sys_script_name {
    const char *name;
    sys_script_text value;
} sys_script_name;

typedef struct sys_script_names {
    sys_script_name *of;
    int32_t count;
} sys_script_names;

typedef struct sys_script_control {
    double period; // [s]; 0: every step
    sys_script_names sensors, outputs;
    sys_script_names memory; // values at the start
    sys_script_names next;   // of some of the memory
    const cn_plugin
        *plugin; // computes the outputs, whose values are then those of the start; NULL: none
    cn_source source;
} sys_script_control;

typedef struct sys_script_contact {
    cn_lagrangian_contact law;
    sys_script_text gap;
    sys_script_list normal, tangent; // n each
    sys_script_text rate;            // of the gap at rest, dg/dt; text NULL: by differences
    sys_script_text slide; // a length along the tangent, instead of its row; text NULL: none
    cn_source source;
} sys_script_contact;

typedef struct sys_script_joint {
    sys_script_text equation;
    sys_script_list rows; // n
} sys_script_joint;

// What both kinds have.
typedef struct sys_script_common {
    const char *name;
    sys_script_names parameters, definitions;
    const sys_script_control *control;
    int32_t control_count;
    int32_t contacts; // whose impulses controllers may look at
} sys_script_common;

typedef struct sys_script_lagrangian {
    sys_script_common common;
    int32_t n;
    const double *q, *v;
    const sys_script_text *mass, *force; // n x n, n
    sys_script_text potential;           // text NULL: the number
    const sys_script_contact *contact;
    const sys_script_joint *joint;
    int32_t contacts, joints;
} sys_script_lagrangian;

typedef struct sys_script_first_order {
    sys_script_common common;
    cn_first_order system; // numbers only; its functions come from the lists
    sys_script_list b, e;  // n, m
} sys_script_first_order;

// Errors have the place of the text that is wrong.
cn_status sys_script_lagrangian_create(const cn_env *env, const sys_script_lagrangian *def,
                                       cn_system **out, cn_error *error);
cn_status sys_script_first_order_create(const cn_env *env, const sys_script_first_order *def,
                                        cn_system **out, cn_error *error);

// ---- shared by script.c and script_lagrangian.c ----

typedef struct sys_formula sys_formula;

// A compiled text, the same in all copies of a script.
typedef struct sys_script_cell {
    int32_t formula; // its number, from 1; 0: the number below
    double number;
    bool timed; // depends on t other than through q and v
} sys_script_cell;

typedef struct sys_script_sampler {
    double period;
    int32_t sensors, outputs, memory, next; // counts
    sys_script_cell *sensor, *output, *step;
    int32_t *sensor_value, *output_value, *next_value; // the variables that they go to
    const cn_plugin *plugin;                           // NULL: expressions
    int32_t plugin_memory;                             // its first variable
} sys_script_sampler;

typedef struct sys_script_formula {
    const char *text;
    int32_t variables; // that it may name: those declared before it
    sys_formula *compiled;
} sys_script_formula;

typedef struct sys_script {
    cn_env env;
    cn_arena *memory;
    struct base_variable *variable;
    double *value; // of the variables
    int32_t variables, capacity;
    sys_script_formula *formula; // all
    int32_t formulas, formula_capacity;
    int32_t n;
    double *t, *q, *v; // variables
    double *p;         // of the contacts' impulses; NULL: not asked for
    int32_t contacts;
    sys_script_cell *definition;
    int32_t *definition_value; // its variable
    int32_t definitions;
    bool fresh_samples; // the definitions are older than a controller's values
    sys_script_sampler *sampler;
    int32_t samplers;
    double *held; // values of all controllers, in one block: the memory of the hooks
    int32_t held_count;
    double *fresh; // room for the next values
    int32_t fresh_count;
} sys_script;

// A script with t, q1.. (x1.. for first order), v1.., parameters, controllers and definitions.
cn_status sys_script_create(const cn_env *env, const sys_script_common *common, int32_t n,
                            bool first_order, int32_t formulas, sys_script **out, cn_error *error);
// What one run evaluates: its values begin as those of `from`, which outlives it. NULL: no memory.
sys_script *sys_script_copy(const sys_script *from, const cn_env *env);
void sys_script_destroy(void *script);
cn_status sys_script_compile(sys_script *script, const sys_script_text *text, sys_script_cell *out,
                             cn_error *error);
// count cells from an array of texts; NULL: no memory or an error.
sys_script_cell *sys_script_compile_all(sys_script *script, const sys_script_text *text,
                                        int64_t count, cn_status *status, cn_error *error);
double sys_script_value(const sys_script *script, const sys_script_cell *cell);
double *sys_script_find(const sys_script *script, const char *name); // a variable; NULL: none

// Sets the variables and evaluates the definitions; NULL leaves a part as it is.
void sys_script_place(sys_script *script, double t, const double *q, const double *v);
// The hooks.
void sys_script_feel(void *script, double t, const double *q, const double *v,
                     const double *impulse);
void sys_script_sample(void *script, double t, double h, const double *q, const double *v);

#endif
