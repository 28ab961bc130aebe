// system/script.c
// Variables, expressions and controllers of systems that are given as texts, and first-order
// systems.
#include "system/script.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/signal/formula.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCRIPT_HINT                                                                                \
    "names are t, q1, v1 ..., parameters, definitions, outputs of controllers and, beside these, " \
    "impulses p1 ..."
#define SAMPLE_SLACK 1e-6 // of a step: a period's multiple within it is met

// ---- variables ----

static bool name_is_good(const char *name) {
    bool good = isalpha((unsigned char)name[0]) != 0;
    for (const char *c = name; good && *c; c++) {
        good = isalnum((unsigned char)*c) || *c == '_';
    }
    return good;
}

// A new variable: its index.
static cn_status script_declare(sys_script *script, const char *name, const cn_source *source,
                                int32_t *index, cn_error *error) {
    cn_status status = CN_OK;
    if (!name_is_good(name)) {
        status = base_fail(error, CN_ERR_INPUT, "\"%.60s\" cannot be a name", name);
        base_fail_hint(error, "a name is a letter, then letters, digits and underscores");
    }
    for (int32_t i = 0; status == CN_OK && i < script->variables; i++) {
        if (strcmp(script->variable[i].name, name) == 0) {
            status = base_fail(error, CN_ERR_INPUT, "the name %.60s is used already", name);
        }
    }
    if (status != CN_OK) {
        if (source) {
            base_fail_at(error, source->file, source->line, source->column);
        }
        return status;
    }
    const char *copy = base_arena_text(script->memory, name, strlen(name));
    if (!copy || script->variables == script->capacity) {
        return base_fail_memory(error);
    }
    *index = script->variables++;
    script->variable[*index] = (base_variable){copy, &script->value[*index]};
    return CN_OK;
}

double *sys_script_find(const sys_script *script, const char *name) {
    for (int32_t i = 0; i < script->variables; i++) {
        if (strcmp(script->variable[i].name, name) == 0) {
            return script->variable[i].value;
        }
    }
    return NULL;
}

// q1 .. qn or the like; *first: where they are, one after the other.
static cn_status script_declare_row(sys_script *script, char letter, int32_t n, double **first,
                                    cn_error *error) {
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < n; i++) {
        char name[16];
        int32_t index = 0;
        snprintf(name, sizeof name, "%c%d", letter, (int)i + 1);
        status = script_declare(script, name, NULL, &index, error);
        *first = i == 0 ? &script->value[index] : *first;
    }
    return status;
}

// ---- expressions ----

cn_status sys_script_compile(sys_script *script, const sys_script_text *text, sys_script_cell *out,
                             cn_error *error) {
    *out = (sys_script_cell){.number = text->number};
    if (!text->text) {
        return CN_OK;
    }
    if (script->formulas == script->formula_capacity) {
        return base_fail_memory(error);
    }
    cn_error fault = {.status = CN_OK};
    sys_formula *formula = base_formula_create(&script->env, text->text, script->variable,
                                               script->variables, SCRIPT_HINT, &fault);
    if (!formula) {
        if (text->source.file) {
            int32_t behind = fault.column > 0 ? fault.column - 1 : 0;
            base_fail_at(&fault, text->source.file, text->source.line,
                         text->source.column + behind);
        }
        if (error) {
            *error = fault;
        }
        return fault.status;
    }
    const char *copy = base_arena_text(script->memory, text->text, strlen(text->text));
    script->formula[script->formulas++] = (sys_script_formula){copy, script->variables, formula};
    out->formula = script->formulas;
    out->timed = base_formula_uses(formula, script->t);
    for (int32_t i = 0; i < script->definitions; i++) {
        const double *value = &script->value[script->definition_value[i]];
        out->timed =
            out->timed || (script->definition[i].timed && base_formula_uses(formula, value));
    }
    return copy ? CN_OK : base_fail_memory(error);
}

sys_script_cell *sys_script_compile_all(sys_script *script, const sys_script_text *text,
                                        int64_t count, cn_status *status, cn_error *error) {
    sys_script_cell *cells = BASE_TAKE_ZERO(script->memory, sys_script_cell, count);
    if (*status == CN_OK && !cells) {
        *status = base_fail_memory(error);
    }
    for (int64_t i = 0; *status == CN_OK && i < count; i++) {
        *status = sys_script_compile(script, &text[i], &cells[i], error);
    }
    return cells;
}

double sys_script_value(const sys_script *script, const sys_script_cell *cell) {
    return cell->formula > 0 ? base_formula_value(script->formula[cell->formula - 1].compiled)
                             : cell->number;
}

// Names with a value that is evaluated once, in order.
static cn_status script_constants(sys_script *script, const sys_script_names *names,
                                  cn_error *error) {
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && i < names->count; i++) {
        const sys_script_name *name = &names->of[i];
        sys_script_cell cell;
        int32_t index = 0;
        status = sys_script_compile(script, &name->value, &cell, error);
        if (status == CN_OK) {
            status = script_declare(script, name->name, &name->value.source, &index, error);
        }
        if (status == CN_OK) {
            double *value = &script->value[index];
            *value = sys_script_value(script, &cell);
            if (!(fabs(*value) <= DBL_MAX)) {
                status =
                    base_fail(error, CN_ERR_INPUT, "%.60s is %g at the start", name->name, *value);
                base_fail_at(error, name->value.source.file, name->value.source.line,
                             name->value.source.column);
            }
        }
    }
    return status;
}

// ---- controllers ----

// Names with expressions: cells, and where the values go. Names that are there already (the next
// values of a memory) are looked up.
static cn_status script_assignments(sys_script *script, const sys_script_names *names, bool declare,
                                    sys_script_cell **cells, int32_t **values, cn_error *error) {
    *cells = BASE_TAKE_ZERO(script->memory, sys_script_cell, names->count);
    *values = BASE_TAKE_ZERO(script->memory, int32_t, names->count);
    cn_status status = *cells && *values ? CN_OK : base_fail_memory(error);
    for (int32_t i = 0; status == CN_OK && i < names->count; i++) {
        const sys_script_name *name = &names->of[i];
        const double *there = declare ? NULL : sys_script_find(script, name->name);
        (*values)[i] = there ? (int32_t)(there - script->value) : 0;
        status = sys_script_compile(script, &name->value, &(*cells)[i], error);
        if (status == CN_OK && declare) {
            status = script_declare(script, name->name, &name->value.source, &(*values)[i], error);
        } else if (status == CN_OK && !there) {
            status =
                base_fail(error, CN_ERR_INPUT, "the controller has no memory %.60s", name->name);
            base_fail_at(error, name->value.source.file, name->value.source.line,
                         name->value.source.column);
        }
    }
    return status;
}

// A controller in a plug-in: outputs start with their values, and its memory stands behind them.
static cn_status script_plugin(sys_script *script, const sys_script_control *def,
                               sys_script_sampler *out, cn_error *error) {
    int32_t first = script->variables;
    cn_status status = script_constants(script, &def->outputs, error);
    out->plugin = def->plugin;
    out->output_value = BASE_TAKE(script->memory, int32_t, 1);
    if (status == CN_OK && !out->output_value) {
        status = base_fail_memory(error);
    }
    if (status == CN_OK) {
        out->output_value[0] = first; // the others follow
        out->plugin_memory = script->variables;
    }
    for (int32_t i = 0; status == CN_OK && i < def->plugin->memory; i++) {
        char name[32];
        int32_t index;
        snprintf(name, sizeof name, "plugin%d_memory%d", (int)first, (int)i + 1);
        status = script_declare(script, name, NULL, &index, error);
    }
    return status;
}

static cn_status script_controller(sys_script *script, const sys_script_control *def,
                                   sys_script_sampler *out, cn_error *error) {
    *out = (sys_script_sampler){.period = def->period,
                                .sensors = def->sensors.count,
                                .outputs = def->outputs.count,
                                .memory = def->memory.count,
                                .next = def->next.count};
    CN_TRY(script_constants(script, &def->memory, error));
    CN_TRY(
        script_assignments(script, &def->sensors, true, &out->sensor, &out->sensor_value, error));
    if (def->plugin) {
        return script_plugin(script, def, out, error);
    }
    CN_TRY(
        script_assignments(script, &def->outputs, true, &out->output, &out->output_value, error));

    return script_assignments(script, &def->next, false, &out->step, &out->next_value, error);
}

static void sampler_run(sys_script *script, const sys_script_sampler *sampler, double period) {
    double *value = script->value;
    script->fresh_samples = true;
    for (int32_t i = 0; i < sampler->sensors; i++) {
        value[sampler->sensor_value[i]] = sys_script_value(script, &sampler->sensor[i]);
    }
    if (sampler->plugin) {
        cn_plugin_sample sample = {
            .t = *script->t,
            .period = period,
            .sensors = sampler->sensors > 0 ? value + sampler->sensor_value[0] : NULL,
            .sensor_count = sampler->sensors,
            .outputs = value + sampler->output_value[0],
            .output_count = sampler->outputs,
            .memory = value + sampler->plugin_memory};
        sampler->plugin->control(&sample);
        return;
    }
    for (int32_t i = 0; i < sampler->outputs; i++) {
        value[sampler->output_value[i]] = sys_script_value(script, &sampler->output[i]);
    }
    for (int32_t i = 0; i < sampler->next; i++) {
        script->fresh[i] = sys_script_value(script, &sampler->step[i]);
    }
    for (int32_t i = 0; i < sampler->next; i++) {
        value[sampler->next_value[i]] = script->fresh[i];
    }
}

void sys_script_sample(void *user, double t, double h, const double *q, const double *v) {
    sys_script *script = user;
    bool placed = false;
    for (int32_t i = 0; i < script->samplers; i++) {
        const sys_script_sampler *sampler = &script->sampler[i];
        double period = sampler->period > h ? sampler->period : h;
        double off = fabs(t - period * floor(t / period + 0.5));
        if (off <= SAMPLE_SLACK * h) {
            if (!placed) {
                sys_script_place(script, t, q, v);
                placed = true;
            }
            sampler_run(script, sampler, period);
        }
    }
}

void sys_script_feel(void *user, double t, const double *q, const double *v,
                     const double *impulse) {
    sys_script *script = user;
    (void)t;
    (void)q;
    (void)v;
    for (int32_t c = 0; c < script->contacts; c++) {
        script->p[c] = impulse[CN_CONTACT_PARTS * c];
    }
    script->fresh_samples = true;
}

// ---- the whole ----

// Copies count numbers; whether that changes any.
static bool script_put(double *to, const double *from, int32_t count) {
    bool differs = false;
    for (int32_t i = 0; i < count; i++) {
        differs = differs || !(to[i] == from[i]); // a NaN counts as different
        to[i] = from[i];
    }
    return differs;
}

void sys_script_place(sys_script *script, double t, const double *q, const double *v) {
    bool moved = script_put(script->t, &t, 1) || script->fresh_samples;
    if (q) {
        moved = script_put(script->q, q, script->n) || moved;
    }
    if (v && script->v) {
        moved = script_put(script->v, v, script->n) || moved;
    }
    if (!moved) {
        return;
    }
    script->fresh_samples = false;
    for (int32_t i = 0; i < script->definitions; i++) {
        script->value[script->definition_value[i]] =
            sys_script_value(script, &script->definition[i]);
    }
}

static cn_status script_controllers(sys_script *script, const sys_script_common *common,
                                    cn_error *error) {
    int32_t first = script->variables;
    script->samplers = common->control_count;
    script->contacts = common->control_count > 0 ? common->contacts : 0;
    script->sampler = BASE_TAKE_ZERO(script->memory, sys_script_sampler, script->samplers);
    cn_status status = script->sampler ? CN_OK : base_fail_memory(error);
    if (status == CN_OK) {
        status = script_declare_row(script, 'p', script->contacts, &script->p, error);
    }
    for (int32_t i = 0; status == CN_OK && i < script->samplers; i++) {
        status = script_controller(script, &common->control[i], &script->sampler[i], error);
    }
    script->held = script->value + first;
    script->held_count = script->variables - first;
    return status;
}

// Names for expressions that are evaluated whenever the variables change. Each may use those before
// it.
static cn_status script_define(sys_script *script, const sys_script_names *names, cn_error *error) {
    script->definition = BASE_TAKE_ZERO(script->memory, sys_script_cell, names->count);
    script->definition_value = BASE_TAKE_ZERO(script->memory, int32_t, names->count);
    cn_status status =
        script->definition && script->definition_value ? CN_OK : base_fail_memory(error);
    for (int32_t i = 0; status == CN_OK && i < names->count; i++) {
        const sys_script_name *name = &names->of[i];
        status = sys_script_compile(script, &name->value, &script->definition[i], error);
        if (status == CN_OK) {
            status = script_declare(script, name->name, &name->value.source,
                                    &script->definition_value[i], error);
        }
        script->definitions += status == CN_OK;
    }
    script->fresh_samples = true;
    return status;
}

static cn_status script_fill(sys_script *script, const sys_script_common *common, bool first_order,
                             cn_error *error) {
    int32_t t = 0;
    CN_TRY(script_declare(script, "t", NULL, &t, error));
    script->t = &script->value[t];
    CN_TRY(script_declare_row(script, first_order ? 'x' : 'q', script->n, &script->q, error));
    if (!first_order) {
        CN_TRY(script_declare_row(script, 'v', script->n, &script->v, error));
    }
    CN_TRY(script_constants(script, &common->parameters, error));
    CN_TRY(script_controllers(script, common, error));
    return script_define(script, &common->definitions, error);
}

cn_status sys_script_create(const cn_env *env, const sys_script_common *common, int32_t n,
                            bool first_order, int32_t formulas, sys_script **out, cn_error *error) {
    cn_arena *memory = cn_arena_create(env);
    sys_script *script = memory ? BASE_TAKE_ZERO(memory, sys_script, 1) : NULL;
    if (!script) {
        cn_arena_destroy(memory);
        return base_fail_memory(error);
    }
    int32_t own = common->parameters.count + common->definitions.count;
    for (int32_t i = 0; i < common->control_count; i++) {
        const sys_script_control *control = &common->control[i];
        own += control->sensors.count + control->outputs.count + control->memory.count +
               control->next.count + (control->plugin ? control->plugin->memory : 0);
    }
    *script = (sys_script){.env = env ? *env : cn_env_default(),
                           .memory = memory,
                           .n = n,
                           .capacity = 1 + 2 * n + common->contacts + own,
                           .formula_capacity = formulas + own,
                           .fresh_count = own};
    script->variable = BASE_TAKE_ZERO(memory, base_variable, script->capacity);
    script->value = BASE_TAKE_ZERO(memory, double, script->capacity);
    script->formula = BASE_TAKE_ZERO(memory, sys_script_formula, script->formula_capacity);
    script->fresh = BASE_TAKE_ZERO(memory, double, own);
    cn_status status = script->variable && script->value && script->formula && script->fresh
                           ? script_fill(script, common, first_order, error)
                           : base_fail_memory(error);
    if (status != CN_OK) {
        sys_script_destroy(script);
        return status;
    }
    *out = script;
    return CN_OK;
}

// A place among the values of one script, among those of another.
static double *script_moved(const sys_script *from, double *place, const sys_script *to) {
    return place ? to->value + (place - from->value) : NULL;
}

sys_script *sys_script_copy(const sys_script *from, const cn_env *env) {
    cn_arena *memory = cn_arena_create(env);
    sys_script *script = memory ? BASE_TAKE(memory, sys_script, 1) : NULL;
    if (!script) {
        cn_arena_destroy(memory);
        return NULL;
    }
    *script = *from; // names, cells and controllers are shared
    script->env = env ? *env : cn_env_default();
    script->memory = memory;
    script->formulas = 0;
    script->fresh_samples = true;
    script->value = BASE_TAKE_ZERO(memory, double, from->capacity);
    script->variable = BASE_TAKE_ZERO(memory, base_variable, from->capacity);
    script->formula = BASE_TAKE_ZERO(memory, sys_script_formula, from->formulas);
    script->fresh = BASE_TAKE_ZERO(memory, double, from->fresh_count);
    bool good = script->value && script->variable && script->formula && script->fresh;
    for (int32_t i = 0; good && i < from->variables; i++) {
        script->value[i] = from->value[i];
        script->variable[i] = (base_variable){from->variable[i].name, &script->value[i]};
    }
    for (int32_t i = 0; good && i < from->formulas; i++) {
        script->formula[i] = from->formula[i];
        script->formula[i].compiled =
            base_formula_create(&script->env, from->formula[i].text, script->variable,
                                from->formula[i].variables, NULL, NULL);
        good = script->formula[i].compiled != NULL;
        script->formulas += good;
    }
    if (!good) {
        sys_script_destroy(script);
        return NULL;
    }
    script->t = script_moved(from, from->t, script);
    script->q = script_moved(from, from->q, script);
    script->v = script_moved(from, from->v, script);
    script->p = script_moved(from, from->p, script);
    script->held = script_moved(from, from->held, script);
    return script;
}

void sys_script_destroy(void *user) {
    sys_script *script = user;
    if (script) {
        for (int32_t i = 0; i < script->formulas; i++) {
            base_formula_destroy(script->formula[i].compiled);
        }
        cn_arena_destroy(script->memory);
    }
}

// ---- first-order systems ----

typedef struct script_first {
    sys_script *script;
    sys_script_cell *b, *e;
    int32_t n, m; // 0 where there is none
} script_first;

static void first_source(void *user, double t, double *b) {
    script_first *first = user;
    sys_script_place(first->script, t, NULL, NULL);
    for (int32_t i = 0; i < first->n; i++) {
        b[i] = sys_script_value(first->script, &first->b[i]);
    }
}

static void first_offset(void *user, double t, double *e) {
    script_first *first = user;
    sys_script_place(first->script, t, NULL, NULL);
    for (int32_t i = 0; i < first->m; i++) {
        e[i] = sys_script_value(first->script, &first->e[i]);
    }
}

static void first_sample(void *user, double t, double h, const double *q, const double *v) {
    sys_script_sample(((script_first *)user)->script, t, h, q, v);
}

static void first_end(void *user) {
    sys_script_destroy(((script_first *)user)->script); // whose memory user lies in
}

static void *first_run_begin(const void *user, const cn_env *env, double **memory) {
    const script_first *from = user;
    sys_script *script = sys_script_copy(from->script, env);
    script_first *first = script ? BASE_TAKE(script->memory, script_first, 1) : NULL;
    if (!first) {
        sys_script_destroy(script);
        return NULL;
    }
    *first = *from;
    first->script = script;
    *memory = script->held;
    return first;
}

cn_status sys_script_first_order_create(const cn_env *env, const sys_script_first_order *def,
                                        cn_system **out, cn_error *error) {
    sys_script *script;
    *out = NULL;
    cn_status status = sys_script_create(env, &def->common, def->system.n, true,
                                         def->b.count + def->e.count, &script, error);
    CN_TRY(status);
    script_first *first = BASE_TAKE_ZERO(script->memory, script_first, 1);
    if (!first) {
        sys_script_destroy(script);
        return base_fail_memory(error);
    }
    *first = (script_first){.script = script, .n = def->b.count, .m = def->e.count};
    first->b = sys_script_compile_all(script, def->b.of, def->b.count, &status, error);
    first->e = sys_script_compile_all(script, def->e.of, def->e.count, &status, error);
    if (status == CN_OK) {
        cn_first_order system = def->system;
        system.name = def->common.name;
        system.user = first;
        system.source = first->n > 0 ? first_source : NULL;
        system.offset = first->m > 0 ? first_offset : NULL;
        system.hooks = (cn_system_hooks){.step_begin = script->samplers > 0 ? first_sample : NULL,
                                         .memory = script->held,
                                         .memory_count = script->held_count,
                                         .run_begin = first_run_begin,
                                         .run_end = first_end,
                                         .end = first_end};
        status = cn_system_create_first_order(env, &system, out, error);
    }
    if (status != CN_OK) {
        sys_script_destroy(script);
    }
    return status;
}
