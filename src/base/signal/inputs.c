// base/signal/inputs.c
#include "base/signal/inputs.h"

#include "base/arena.h"

#include <ctype.h>
#include <string.h>

bool base_input_is_name(const char *text, size_t length) {
    bool good = length > 0 && length < BASE_INPUT_NAME && isalpha((unsigned char)text[0]);
    for (size_t i = 0; good && i < length; i++) {
        good = isalnum((unsigned char)text[i]) || text[i] == '_';
    }
    return good;
}

int32_t base_inputs_find(const base_inputs *inputs, const char *name) {
    return base_names_find(&inputs->names, name);
}

// Room for one more.
static bool inputs_reserve(base_inputs *inputs) {
    if (inputs->count == inputs->capacity) {
        int32_t capacity = inputs->capacity ? 2 * inputs->capacity : 16;
        const char **name = BASE_TAKE(inputs->memory, const char *, capacity);
        double *start = BASE_TAKE(inputs->memory, double, capacity);
        if (!name || !start) {
            return false;
        }
        for (int32_t i = 0; i < inputs->count; i++) {
            name[i] = inputs->name[i];
            start[i] = inputs->start[i];
        }
        inputs->name = name;
        inputs->start = start;
        inputs->capacity = capacity;
    }
    return base_names_reserve(&inputs->names, inputs->memory);
}

int32_t base_inputs_add(base_inputs *inputs, const char *name, double start) {
    int32_t index = base_inputs_find(inputs, name);
    if (index >= 0) {
        return index;
    }
    if (!inputs_reserve(inputs)) {
        return -1;
    }
    const char *copy = base_arena_text(inputs->memory, name, strlen(name));
    if (!copy) {
        return -1;
    }
    index = inputs->count++;
    inputs->name[index] = copy;
    inputs->start[index] = start;
    base_names_add(&inputs->names, copy, index);
    return index;
}
