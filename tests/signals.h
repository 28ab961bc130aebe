// tests/signals.h
// The value of one signal of a model, for tests that look at a few.
#ifndef CAIRN_TESTS_SIGNALS_H
#define CAIRN_TESTS_SIGNALS_H

#include "check.h"

#include "model/model.h"

static inline double signal_at(const cn_model *model, const base_signal *signal, double t) {
    base_evaluator *evaluator = model_evaluator(model, NULL, NULL, NULL);
    CN_CHECK_TRUE(evaluator != NULL);
    double value = base_signal_at(signal, evaluator, t);
    base_evaluator_destroy(evaluator);
    return value;
}

#endif
