// model/warn.c
// What a finished model warns of: values that are legal and seldom meant. Each is a sentence with a
// hint and a place, as an error has them; the run goes on.
//
//     friction above FRICTION_USUAL
//     motions by the table of an acceleration that do not end at rest
//     two materials that no entry of the contacts matches, of bodies that can touch
#include "base/arena.h"
#include "base/error.h"
#include "model/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Rubber on dry concrete is near 1; what is above this is a wrong unit or a trick.
#define FRICTION_USUAL 5.0
// Share of the largest velocity that the table of an acceleration may leave at its end.
#define VELOCITY_LEFT 1e-3
// Warnings of one kind that are written out; one more says how many others there are.
#define WARNINGS_MAX 8
// Pairs of bodies looked at before two materials are taken to meet.
#define TRIALS_MAX 10000

typedef struct warner {
    cn_model *model;
    int32_t *group;  // of bodies that joints link, each the index of a body; links are made so as
                     // not to touch
    int32_t of_kind; // warnings of the present kind
} warner;

// The next warning, with its text and place; NULL: there are enough of its kind, which are counted.
static cn_error *warn(warner *w, const cn_source *source, const char *format, ...) CN_PRINTF(3, 4);
static cn_error *warn(warner *w, const cn_source *source, const char *format, ...) {
    if (++w->of_kind > WARNINGS_MAX) {
        return NULL;
    }
    cn_error *warning = &w->model->warning[w->model->warning_count++];
    *warning = (cn_error){.status = CN_OK};
    va_list args;
    va_start(args, format);
    vsnprintf(warning->message, sizeof warning->message, format, args);
    va_end(args);
    if (source && source->line > 0) {
        base_fail_at(warning, source->file, source->line, source->column);
    }
    return warning;
}

static void warn_rest(warner *w, const char *what) {
    if (w->of_kind > WARNINGS_MAX) {
        int32_t more = w->of_kind - WARNINGS_MAX;
        w->of_kind = 0;
        warn(w, NULL, "and %d more %s", (int)more, what);
    }
    w->of_kind = 0;
}

static void warn_friction(warner *w) {
    const cn_model *model = w->model;
    for (int32_t c = 0; c < model->contact_count; c++) {
        const cn_contact_def *def = &model->contact[c];
        double max = fmax(def->friction, def->friction_dynamic); // one NaN is passed over
        if (max > FRICTION_USUAL) {
            base_fail_hint(warn(w, &def->source,
                                "friction of %g between '%.60s' and '%.60s' is above %g", max,
                                def->between[0], def->between[1], FRICTION_USUAL),
                           "most materials are below 1.5");
        }
    }
    warn_rest(w, "entries with such friction");
}

static int32_t group_of(int32_t *group, int32_t body) {
    while (group[body] != body) {
        group[body] = group[group[body]];
        body = group[body];
    }
    return body;
}

static void groups_find(warner *w) {
    for (int32_t i = 0; i < w->model->body_count; i++) {
        w->group[i] = i;
    }
    for (int32_t k = 0; k < w->model->joint_count; k++) {
        const int32_t *body = w->model->joint[k].body;
        w->group[group_of(w->group, body[0])] = group_of(w->group, body[1]);
    }
}

static bool can_touch(const warner *w, int32_t i, int32_t j) {
    const model_body *a = &w->model->body[i], *b = &w->model->body[j];
    return i != j && b->shape_count > 0 &&
           (a->role == MODEL_BODY_FREE || b->role == MODEL_BODY_FREE) &&
           group_of(w->group, i) != group_of(w->group, j);
}

// Two bodies of these materials that can touch; false: there are none.
static bool find_touching(const warner *w, int32_t a, int32_t b, int32_t pair[2]) {
    const cn_model *model = w->model;
    int32_t trials = 0;
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].material != a || model->body[i].shape_count == 0) {
            continue;
        }
        for (int32_t j = 0; j < model->body_count && trials < TRIALS_MAX; j++, trials++) {
            if (model->body[j].material == b && can_touch(w, i, j)) {
                pair[0] = i;
                pair[1] = j;
                return true;
            }
        }
    }
    return false;
}

static void warn_lawless(warner *w) {
    const cn_model *model = w->model;
    for (int32_t a = 0; a < model->material_count; a++) {
        for (int32_t b = a; b < model->material_count; b++) {
            int32_t body[2];
            if (model->pair[(int64_t)a * model->material_count + b].given ||
                !find_touching(w, a, b, body)) {
                continue;
            }
            base_fail_hint(warn(w, &model->body[body[1]].source,
                                "no entry of contacts matches the materials '%.60s' and '%.60s' "
                                "(bodies %d and %d can touch)",
                                model->material[a].name, model->material[b].name, (int)body[0] + 1,
                                (int)body[1] + 1),
                           "without one there is neither friction nor restitution: add {between: "
                           "[\"*\", \"*\"], friction: 0.5}");
        }
    }
    warn_rest(w, "pairs of materials without an entry");
}

static void warn_motions(warner *w) {
    const cn_model *model = w->model;
    for (int32_t m = 0; m < model->motion_count; m++) {
        const model_motion *motion = &model->motion[m];
        for (int32_t k = 0; k < 6; k++) {
            double left, largest;
            const base_signal *signal =
                k < 3 ? motion->velocity[k] : motion->angular_velocity[k - 3];
            if (base_signal_final(signal, &left, &largest) &&
                fabs(left) > VELOCITY_LEFT * largest) {
                const char *name = model->body[motion->body].name;
                base_fail_hint(
                    warn(
                        w, &motion->source,
                        "the motion of body %d%s%.60s%s goes on with %.3g %s when the table of its "
                        "acceleration has ended",
                        (int)motion->body + 1, name[0] ? " (" : "", name, name[0] ? ")" : "", left,
                        k < 3 ? "m/s" : "rad/s"),
                    "records of accelerations drift: baseline: rest takes the drift out");
            }
        }
    }
    warn_rest(w, "motions that go on");
}

cn_status model_warnings_find(cn_model *model, cn_error *error) {
    // Three kinds, each with the line that counts the rest.
    model->warning = BASE_TAKE(model->memory, cn_error, 3 * (WARNINGS_MAX + 1));
    if (!model->warning) {
        return base_fail_memory(error);
    }
    base_arena_mark mark = base_arena_get_mark(model->memory);
    warner w = {.model = model, .group = BASE_TAKE(model->memory, int32_t, model->body_count)};
    if (!w.group) {
        return base_fail_memory(error);
    }
    groups_find(&w);
    warn_friction(&w);
    warn_motions(&w);
    warn_lawless(&w);
    base_arena_release(model->memory, mark);
    return CN_OK;
}

int32_t cn_model_warning_count(const cn_model *model) {
    if (!model) {
        return 0;
    }
    return model->warning_count;
}

const cn_error *cn_model_warning(const cn_model *model, int32_t index) {
    if (!model || index < 0 || index >= model->warning_count) {
        return NULL;
    }
    return &model->warning[index];
}
