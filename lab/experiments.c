// lab/experiments.c
// The table of experiments; see lab.h.
#include "lab/experiments.h"

#include <string.h>
#include <strings.h>

static const lab_experiment *const experiments[] = {
    &experiment_e1,  &experiment_e2,  &experiment_e3,  &experiment_e4,  &experiment_e4b,
    &experiment_e5,  &experiment_e6,  &experiment_e7,  &experiment_e8,  &experiment_e9,
    &experiment_e10, &experiment_e11, &experiment_e12, &experiment_e14, &experiment_e15,
};
#define EXPERIMENT_COUNT ((int32_t)(sizeof experiments / sizeof experiments[0]))

const lab_experiment *experiment_at(int32_t index) {
    return index >= 0 && index < EXPERIMENT_COUNT ? experiments[index] : NULL;
}

// Whether a list "a, b" has the word.
static bool list_has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t item = strcspn(at, ", ");
        if (item == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += item;
    }
    return false;
}

const lab_experiment *experiment_find(const char *word) {
    for (int32_t i = 0; i < EXPERIMENT_COUNT; i++) {
        if (strcasecmp(word, experiments[i]->id) == 0 || list_has(experiments[i]->scenes, word)) {
            return experiments[i];
        }
    }
    return NULL;
}

const char *experiment_nearest(const char *word) {
    // Ids are so short that each is near to every other.
    const char *names[EXPERIMENT_COUNT];
    for (int32_t i = 0; i < EXPERIMENT_COUNT; i++) {
        names[i] = experiments[i]->scenes;
    }
    return cn_nearest_name(word, names, EXPERIMENT_COUNT);
}
