// lab/experiments.c
// The table of experiments; see lab.h.
#include "lab/experiments.h"

#include <string.h>
#include <strings.h>

static const cn_experiment *const cn_experiments[] = {
    &cn_experiment_e1,  &cn_experiment_e2,  &cn_experiment_e3,  &cn_experiment_e4,
    &cn_experiment_e4b, &cn_experiment_e5,  &cn_experiment_e6,  &cn_experiment_e7,
    &cn_experiment_e8,  &cn_experiment_e9,  &cn_experiment_e10, &cn_experiment_e11,
    &cn_experiment_e12, &cn_experiment_e15,
};
#define CN_EXPERIMENT_COUNT ((int32_t)(sizeof cn_experiments / sizeof cn_experiments[0]))

const cn_experiment *cn_experiment_at(int32_t index) {
    return index >= 0 && index < CN_EXPERIMENT_COUNT ? cn_experiments[index] : NULL;
}

// Whether a list "a, b" has the word.
static bool cn_list_has(const char *list, const char *word) {
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

const cn_experiment *cn_experiment_find(const char *word) {
    for (int32_t i = 0; i < CN_EXPERIMENT_COUNT; i++) {
        if (strcasecmp(word, cn_experiments[i]->id) == 0 ||
            cn_list_has(cn_experiments[i]->scenes, word)) {
            return cn_experiments[i];
        }
    }
    return NULL;
}

const char *cn_experiment_nearest(const char *word) {
    // Ids are so short that each is near to every other.
    const char *names[CN_EXPERIMENT_COUNT];
    for (int32_t i = 0; i < CN_EXPERIMENT_COUNT; i++) {
        names[i] = cn_experiments[i]->scenes;
    }
    return cn_nearest_name(word, names, CN_EXPERIMENT_COUNT);
}
