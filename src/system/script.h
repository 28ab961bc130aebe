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
// of its own: cn_script_copy. The one that was created from texts stays as it was made.
#ifndef CAIRN_SYSTEM_SCRIPT_H
#define CAIRN_SYSTEM_SCRIPT_H

#include <cairn/plugin.h>
#include <cairn/source.h>
#include <cairn/system.h>

// An expression, or a number where text is NULL.
typedef struct cn_script_text {
    const char *text;
    double number;
    cn_source source; // of its first letter
} cn_script_text;

typedef struct cn_script_list {
    cn_script_text *of;
    int32_t count; // 0: not given
} cn_script_list;

typedef struct cn_script_name {
    const char *name;
    cn_script_text value;
} cn_script_name;

typedef struct cn_script_names {
    cn_script_name *of;
    int32_t count;
} cn_script_names;

typedef struct cn_script_control {
    double period; // [s]; 0: every step
    cn_script_names sensors, outputs;
    cn_script_names memory; // values at the start
    cn_script_names next;   // of some of the memory
    const cn_plugin
        *plugin; // computes the outputs, whose values are then those of the start; NULL: none
    cn_source source;
} cn_script_control;

typedef struct cn_script_contact {
    cn_lagrangian_contact law;
    cn_script_text gap;
    cn_script_list normal, tangent; // n each
    cn_script_text rate;            // of the gap at rest, dg/dt; text NULL: by differences
    cn_script_text slide; // a length along the tangent, in place of its row; text NULL: none
    cn_source source;
} cn_script_contact;

typedef struct cn_script_joint {
    cn_script_text equation;
    cn_script_list rows; // n
} cn_script_joint;

// What both kinds have.
typedef struct cn_script_common {
    const char *name;
    cn_script_names parameters, definitions;
    const cn_script_control *control;
    int32_t control_count;
    int32_t contacts; // whose impulses controllers may look at
} cn_script_common;

typedef struct cn_script_lagrangian {
    cn_script_common common;
    int32_t n;
    const double *q, *v;
    const cn_script_text *mass, *force; // n x n, n
    cn_script_text potential;           // text NULL: the number
    const cn_script_contact *contact;
    const cn_script_joint *joint;
    int32_t contacts, joints;
} cn_script_lagrangian;

typedef struct cn_script_first_order {
    cn_script_common common;
    cn_first_order system; // numbers only; its functions come from the lists
    cn_script_list b, e;   // n, m
} cn_script_first_order;

// Errors have the place of the text that is wrong.
cn_status cn_script_lagrangian_create(const cn_env *env, const cn_script_lagrangian *def,
                                      cn_system **out, cn_error *error);
cn_status cn_script_first_order_create(const cn_env *env, const cn_script_first_order *def,
                                       cn_system **out, cn_error *error);

// ---- shared by script.c and script_lagrangian.c ----

typedef struct cn_formula cn_formula;

// A compiled text, the same in all copies of a script.
typedef struct cn_script_cell {
    int32_t formula; // its number, from 1; 0: the number below
    double number;
    bool timed; // depends on t other than through q and v
} cn_script_cell;

typedef struct cn_script_sampler {
    double period;
    int32_t sensors, outputs, memory, next; // counts
    cn_script_cell *sensor, *output, *step;
    int32_t *sensor_value, *output_value, *next_value; // the variables that they go to
    const cn_plugin *plugin;                           // NULL: expressions
    int32_t plugin_memory;                             // its first variable
} cn_script_sampler;

typedef struct cn_script_formula {
    const char *text;
    int32_t variables; // that it may name: those declared before it
    cn_formula *compiled;
} cn_script_formula;

typedef struct cn_script {
    cn_env env;
    cn_arena *memory;
    struct cn_variable *variable;
    double *value; // of the variables
    int32_t variables, capacity;
    cn_script_formula *formula; // all
    int32_t formulas, formula_capacity;
    int32_t n;
    double *t, *q, *v; // variables
    double *p;         // of the contacts' impulses; NULL: not asked for
    int32_t contacts;
    cn_script_cell *definition;
    int32_t *definition_value; // its variable
    int32_t definitions;
    bool fresh_samples; // the definitions are older than a controller's values
    cn_script_sampler *sampler;
    int32_t samplers;
    double *held; // values of all controllers, in one block: the memory of the hooks
    int32_t held_count;
    double *fresh; // room for the next values
    int32_t fresh_count;
} cn_script;

// A script with t, q1.. (x1.. for first order), v1.., parameters, controllers and definitions.
cn_status cn_script_create(const cn_env *env, const cn_script_common *common, int32_t n,
                           bool first_order, int32_t formulas, cn_script **out, cn_error *error);
// What one run evaluates: its values begin as those of `from`, which outlives it. NULL: no memory.
cn_script *cn_script_copy(const cn_script *from, const cn_env *env);
void cn_script_destroy(void *script);
cn_status cn_script_compile(cn_script *script, const cn_script_text *text, cn_script_cell *out,
                            cn_error *error);
// count cells from an array of texts; NULL: no memory or an error.
cn_script_cell *cn_script_compile_all(cn_script *script, const cn_script_text *text, int64_t count,
                                      cn_status *status, cn_error *error);
double cn_script_value(const cn_script *script, const cn_script_cell *cell);
double *cn_script_find(const cn_script *script, const char *name); // a variable; NULL: none

// Sets the variables and evaluates the definitions; NULL leaves a part as it is.
void cn_script_place(cn_script *script, double t, const double *q, const double *v);
// The hooks.
void cn_script_feel(void *script, double t, const double *q, const double *v,
                    const double *impulse);
void cn_script_sample(void *script, double t, double h, const double *q, const double *v);

#endif
