// record/acts.c
// What a program did to a simulation between its steps, as events: a check must know from which step
// on a run is not what its scene alone makes of it.
#include "record/recorder.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static bool add_text(base_buffer *out, const char *text) {
    return base_buffer_append(out, text, strlen(text));
}

// With its final zero.
static bool write_act(base_buffer *out, const cn_sim *sim, int32_t act) {
    static const char *const words[SIM_ACTS] = {REC_ACTED_STATE, REC_ACTED_LOADS, REC_ACTED_INPUTS};
    const base_inputs *inputs = &sim->model->inputs;
    bool whole = add_text(out, words[act]);
    for (int32_t i = 0; act == SIM_ACT_INPUTS && whole && i < inputs->count; i++) {
        char number[32];
        snprintf(number, sizeof number, "=%.17g", sim->outside.input[i]);
        whole = add_text(out, " ") && add_text(out, inputs->name[i]) && add_text(out, number);
    }
    return whole && base_buffer_append(out, "", 1);
}

cn_status rec_acts(cn_recorder *recorder, const cn_sim *sim, cn_error *error) {
    for (int32_t i = 0; i < SIM_ACTS; i++) {
        int64_t step = sim->outside.acted[i], before = recorder->acted[i];
        if (step == before) {
            continue;
        }
        recorder->acted[i] = step;
        if (i == SIM_ACT_LOADS && before > 0) {
            continue; // frames have them
        }
        base_buffer text;
        base_buffer_init(&text, NULL);
        cn_status status = write_act(&text, sim, i)
                               ? cn_recorder_event(recorder, step, cn_sim_time(sim),
                                                   (const char *)text.data, error)
                               : base_fail_memory(error);
        base_buffer_free(&text);
        CN_TRY(status);
    }
    return CN_OK;
}
