// model/signals.c
// Signals of a model: how they are created, what evaluates them, and the inputs that they name.
#include "base/error.h"
#include "model/build.h"
#include "model/deformable.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

base_signal *model_create_signal(cn_model *model, const cn_signal_def *def, base_signal_use use,
                                 cn_error *error) {
    char text[BASE_INPUT_NAME + 8];
    cn_signal_def own = *def;
    if (def->input) {
        if (!base_input_is_name(def->input, strlen(def->input))) {
            base_fail(error, CN_ERR_INPUT, "\"%.100s\" is not the name of an input", def->input);
            base_fail_hint(error, "a letter, then letters, digits and underscores");
            return NULL;
        }
        if (def->expression) {
            base_fail(error, CN_ERR_INPUT, "an expression and an input are given; one is enough");
            return NULL;
        }
        snprintf(text, sizeof text, "input(%s)", def->input);
        own.expression = text;
    }
    return base_signal_create(&model->env, &own, use, &model->signals, error);
}

// ---- inputs ----

cn_status cn_model_add_input(cn_model *model, const char *name, double start, cn_error *error) {
    if (!model || !name) {
        return base_fail_missing(error);
    }
    CN_TRY(model_check_open(model, error));
    if (!base_input_is_name(name, strlen(name))) {
        base_fail(error, CN_ERR_INPUT, "\"%.100s\" is not the name of an input", name);
        base_fail_hint(error, "a letter, then letters, digits and underscores");
        return CN_ERR_INPUT;
    }
    if (!(fabs(start) <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "input '%s': %g is not a finite number", name, start);
    }
    if (base_inputs_find(&model->inputs, name) >= 0) {
        return base_fail(error, CN_ERR_INPUT, "input '%s' is a duplicate", name);
    }
    return base_inputs_add(&model->inputs, name, start) >= 0 ? CN_OK : base_fail_memory(error);
}

int32_t cn_model_input_count(const cn_model *model) {
    return model ? model->inputs.count : 0;
}

const char *cn_model_input_name(const cn_model *model, int32_t index) {
    return model && index >= 0 && index < model->inputs.count ? model->inputs.name[index] : NULL;
}

int32_t cn_model_input_find(const cn_model *model, const char *name) {
    return model && name ? base_inputs_find(&model->inputs, name) : -1;
}

// ---- what evaluates them ----

static bool add_signals(base_evaluator *evaluator, base_signal *const signal[3]) {
    return base_evaluator_add(evaluator, signal[0]) && base_evaluator_add(evaluator, signal[1]) &&
           base_evaluator_add(evaluator, signal[2]);
}

base_evaluator *model_evaluator(const cn_model *model, const cn_env *env, const sys_script *control,
                                double *inputs) {
    const base_signal_scope *scope = &model->signals;
    base_variable outputs[BASE_SIGNAL_NAMES];
    int32_t count = scope->count < BASE_SIGNAL_NAMES ? scope->count : BASE_SIGNAL_NAMES;
    for (int32_t i = 0; i < count; i++) {
        outputs[i] = scope->variable[i];
        if (control) {
            ptrdiff_t place = outputs[i].value - model->control->script->value;
            outputs[i].value = control->value + place;
        }
    }
    base_evaluator *evaluator =
        base_evaluator_create(env, scope->expressions, model->settings.step, outputs, count,
                              scope->inputs, inputs ? inputs : model->inputs.start);
    bool good = evaluator != NULL;
    for (int32_t i = 0; good && i < model->force_count; i++) {
        good = add_signals(evaluator, model->force[i].force) &&
               add_signals(evaluator, model->force[i].torque);
    }
    for (int32_t i = 0; good && i < model->motion_count; i++) {
        const model_motion *motion = &model->motion[i];
        good = add_signals(evaluator, motion->velocity) &&
               add_signals(evaluator, motion->angular_velocity) &&
               (!motion->rotation[0] || add_signals(evaluator, motion->rotation));
    }
    for (int32_t i = 0; good && i < model->joint_count; i++) {
        good = !model->joint[i].target || base_evaluator_add(evaluator, model->joint[i].target);
    }
    good = good && model_deformables_evaluate(model, evaluator);
    if (!good) {
        base_evaluator_destroy(evaluator);
        return NULL;
    }
    return evaluator;
}
