// base/signal/inputs.h
// Named numbers that whoever runs a model sets while it runs: input(name) in expressions.
#ifndef CAIRN_BASE_SIGNAL_INPUTS_H
#define CAIRN_BASE_SIGNAL_INPUTS_H

#include "base/names.h"

#define BASE_INPUT_NAME 64 // letters of a name, the final '\0' included

// Empty when all but memory is zero.
typedef struct base_inputs {
    cn_arena *memory;  // of names and values
    base_names names;  // to indices
    const char **name; // in the order in which they were added
    double *start;     // their values at the start
    int32_t count, capacity;
    bool listed; // all that there are were listed: expressions add none
} base_inputs;

// Whether the text is a letter, then letters, digits and underscores, and not too long.
bool base_input_is_name(const char *text, size_t length);
// The index of an input, which is added where it is not there; -1: no memory.
int32_t base_inputs_add(base_inputs *inputs, const char *name, double start);
int32_t base_inputs_find(const base_inputs *inputs, const char *name); // -1: not there

#endif
