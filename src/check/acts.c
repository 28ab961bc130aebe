// check/acts.c
// What a program did to the run between its steps, as its events say: before which steps the state
// was set, and which values the inputs of the scene had from which step on.
#include "check/check.h"

#include "base/arena.h"
#include "base/error.h"
#include "record/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check_acts {
    int64_t *jump; // steps before which the state was set, ascending
    int64_t *from; // of values: the first step that has them
    double *values;
    double *now; // what the signals see
    int64_t jumps, changes;
};

// The numbers of "acted: inputs name=value ..."; false: it does not say them all.
static bool read_values(const base_inputs *inputs, const char *text, double *values) {
    text += strlen(REC_ACTED_INPUTS);
    for (int32_t i = 0; i < inputs->count; i++) {
        size_t length = strlen(inputs->name[i]);
        char *end;
        if (text[0] != ' ' || strncmp(text + 1, inputs->name[i], length) != 0 ||
            text[1 + length] != '=') {
            return false;
        }
        text += length + 2;
        values[i] = strtod(text, &end);
        if (end == text || !isfinite(values[i])) {
            return false;
        }
        text = end;
    }
    return text[0] == '\0';
}

static void read_event(check_checking *check, io_statement *select) {
    check_acts *acts = check->acts;
    const base_inputs *inputs = &check->model->inputs;
    const char *text = io_column_text(select, 1);
    int64_t step = io_column_int(select, 0);
    if (strcmp(text, REC_ACTED_STATE) == 0) {
        acts->jump[acts->jumps++] = step;
    } else if (strncmp(text, REC_ACTED_INPUTS, strlen(REC_ACTED_INPUTS)) == 0) {
        if (!read_values(inputs, text, acts->values + inputs->count * acts->changes)) {
            check_find(check, "event", step, 0.0, 0.0, "it does not say the inputs of the scene");
        } else {
            acts->from[acts->changes++] = step;
        }
    }
}

// Events of step and number, in that order; each: told of each. Returns how many there are.
static cn_status each_event(check_checking *check, bool read, int64_t *count) {
    io_statement *select;
    bool row = true;
    CN_TRY(io_database_prepare(check->run->database,
                               "SELECT step,text FROM event WHERE text LIKE '" REC_ACTED
                               "%' ORDER BY step,rowid",
                               &select, check->error));
    cn_status status = CN_OK;
    *count = 0;
    while (status == CN_OK) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        if (read) {
            read_event(check, select);
        }
        ++*count;
    }
    io_statement_end(select);
    return status;
}

cn_status check_acts_create(check_checking *check) {
    int64_t count, inputs = check->model->inputs.count;
    CN_TRY(each_event(check, false, &count));
    check_acts *acts = BASE_TAKE_ZERO(check->memory, check_acts, 1);
    bool room = acts != NULL;
    if (room) {
        acts->jump = BASE_TAKE(check->memory, int64_t, count);
        acts->from = BASE_TAKE(check->memory, int64_t, count);
        acts->values = BASE_TAKE(check->memory, double, count *inputs);
        acts->now = BASE_TAKE(check->memory, double, inputs);
        room = acts->jump && acts->from && acts->values && acts->now;
    }
    if (!room) {
        return base_fail_memory(check->error);
    }
    check->acts = acts;
    if (inputs > 0) {
        memcpy(acts->now, check->model->inputs.start, sizeof *acts->now * (size_t)inputs);
    }
    return each_event(check, true, &count);
}

double *check_inputs(check_checking *check) {
    return check->acts->now;
}

// How many of the ascending numbers are at most so large.
static int64_t count_up_to(const int64_t *number, int64_t count, int64_t last) {
    int64_t low = 0;
    while (low < count) {
        int64_t middle = low + (count - low) / 2;
        if (number[middle] <= last) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    return low;
}

bool check_inputs_at(check_checking *check, int64_t step) {
    check_acts *acts = check->acts;
    const base_inputs *inputs = &check->model->inputs;
    size_t bytes = sizeof(double) * (size_t)inputs->count;
    int64_t before = count_up_to(acts->from, acts->changes, step);
    if (bytes == 0 || acts->changes == 0) {
        return false;
    }
    memcpy(acts->now, before > 0 ? acts->values + inputs->count * (before - 1) : inputs->start,
           bytes);
    return memcmp(acts->now, inputs->start, bytes) != 0;
}

bool check_jumped(const check_checking *check, int64_t after, int64_t step) {
    const check_acts *acts = check->acts;
    return count_up_to(acts->jump, acts->jumps, step) > count_up_to(acts->jump, acts->jumps, after);
}
