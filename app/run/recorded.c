// app/run/recorded.c
// Reading runs for pictures and exports; see recorded.h.
#include "run/recorded.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cn_status run_model_in(const cn_env *env, cn_run *run, const char *path,
                       const cn_override *overrides, int32_t count, cn_model **out,
                       cn_error *error) {
    const char *text = cn_run_meta(run, "scene");
    if (!text || !text[0]) {
        *error = (cn_error){.status = CN_ERR_INPUT,
                            .message = "the run file has no scene: its model was built by a "
                                       "program"};
        snprintf(error->file, sizeof error->file, "%s", path);
        return CN_ERR_INPUT;
    }
    return cn_scene_read_text(env, path, text, strlen(text), overrides, count, out, error);
}

// Whether the scene's text has a plug-in among the keys of "solver".
static bool run_has_own_solver(cn_run *run) {
    const char *text = cn_run_meta(run, "scene");
    const char *at = text ? strstr(text, "\nsolver:") : NULL;
    return at && strstr(at, "plugin");
}

cn_status run_model(const cn_env *env, cn_run *run, const char *path, cn_model **out,
                    cn_error *error) {
    static const cn_override no_solver = {"solver.plugin", "''"};
    bool own = run_has_own_solver(run);
    return run_model_in(env, run, path, own ? &no_solver : NULL, own ? 1 : 0, out, error);
}

cn_status recorded_open(const char *path, recorded_run *out, cn_error *error) {
    *out = (recorded_run){.path = path};
    cn_status status = cn_run_open(NULL, path, &out->run, error);
    CN_TRY(status);
    status = run_model(NULL, out->run, path, &out->model, error);
    if (status == CN_OK && (cn_model_body_count(out->model) != cn_run_body_count(out->run) ||
                            cn_model_dim(out->model) != cn_run_dim(out->run))) {
        *error = (cn_error){.status = CN_ERR_INPUT,
                            .message = "the run file's bodies are not those of its scene"};
        snprintf(error->file, sizeof error->file, "%s", path);
        status = CN_ERR_INPUT;
    }
    if (status != CN_OK) {
        recorded_close(out);
    }
    return status;
}

void recorded_close(recorded_run *recorded) {
    cn_run_close(recorded->run);
    cn_model_destroy(recorded->model);
}

// Numbers of a frame's poses and velocities.
static int64_t pose_numbers(const cn_model *model) {
    return (int64_t)(cn_model_dim(model) == 3 ? 7 : 3) * cn_model_body_count(model);
}

static int64_t velocity_numbers(const cn_model *model) {
    return (int64_t)(cn_model_dim(model) == 3 ? 6 : 3) * cn_model_body_count(model);
}

static int64_t node_numbers(const cn_model *model) {
    return (int64_t)cn_model_dim(model) * cn_model_node_count(model);
}

// The positions of a frame's nodes. memory: to read them.
static cn_status frame_nodes(recorded_run *recorded, int64_t index, cn_arena *memory, double *x,
                             cn_error *error) {
    int32_t count = cn_model_node_count(recorded->model);
    cn_run_node_state nodes;
    if (count == 0) {
        return CN_OK;
    }
    CN_TRY(cn_run_nodes(recorded->run, index, memory, &nodes, error));
    if (nodes.count != count) {
        *error = (cn_error){.status = CN_ERR_INPUT,
                            .message = "the run file's nodes are not those of its scene"};
        snprintf(error->file, sizeof error->file, "%s", recorded->path);
        return CN_ERR_INPUT;
    }
    memcpy(x, nodes.x, (size_t)node_numbers(recorded->model) * sizeof *x);
    return CN_OK;
}

// The time of a frame.
static cn_status frame_time(recorded_run *recorded, int64_t index, double *t, cn_error *error) {
    double *q = ALLOCATE(double, pose_numbers(recorded->model));
    double *v = ALLOCATE(double, velocity_numbers(recorded->model));
    int64_t step;
    cn_status status = cn_run_frame(recorded->run, index, &step, t, q, v, error);
    free(q);
    free(v);
    return status;
}

cn_status recorded_frame_at(recorded_run *recorded, double t, int64_t *index, cn_error *error) {
    // Times ascend: the first frame that is not before t, or the one before it when that is nearer.
    int64_t low = 0, high = cn_run_frame_count(recorded->run);
    double found, before;
    cn_status status = CN_OK;
    int64_t count = high;
    *index = -1;
    while (status == CN_OK && low < high) {
        int64_t middle = low + (high - low) / 2;
        status = frame_time(recorded, middle, &found, error);
        if (found < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (status != CN_OK || count == 0) {
        return status;
    }
    *index = low < count ? low : count - 1;
    if (*index > 0) {
        status = frame_time(recorded, *index, &found, error);
        if (status == CN_OK) {
            status = frame_time(recorded, *index - 1, &before, error);
        }
        *index -= status == CN_OK && fabs(before - t) < fabs(found - t);
    }
    return status;
}

double recorded_end(recorded_run *recorded) {
    int64_t count = cn_run_frame_count(recorded->run);
    double t = 0.0;
    bool good = count > 0 && frame_time(recorded, count - 1, &t, NULL) == CN_OK;
    return good ? t : 0.0;
}

static cn_status stills_start(const cn_model *model, int32_t count, picture_stills *out,
                              cn_error *error) {
    *out = (picture_stills){.count = count, .memory = cn_arena_create(NULL)};
    if (!out->memory) {
        return error_memory(error);
    }
    out->stills = ALLOCATE(picture_still, count);
    out->q = ALLOCATE(double, pose_numbers(model) * count);
    out->nodes = ALLOCATE(double, node_numbers(model) * count);
    return CN_OK;
}

cn_status stills_read(recorded_run *recorded, const double *t, int32_t count, picture_stills *out,
                      cn_error *error) {
    cn_status status = stills_start(recorded->model, count, out, error);
    double *v = ALLOCATE(double, velocity_numbers(recorded->model));
    for (int32_t i = 0; status == CN_OK && i < count; i++) {
        picture_still *still = &out->stills[i];
        double *q = out->q + pose_numbers(recorded->model) * i;
        cn_contact_record *contacts = NULL;
        int64_t index, step;
        status = recorded_frame_at(recorded, t[i], &index, error);
        if (status == CN_OK && index < 0) {
            *error = (cn_error){.status = CN_ERR_INPUT, .message = "the run has no frames"};
            status = CN_ERR_INPUT;
        }
        if (status == CN_OK) {
            status = cn_run_frame(recorded->run, index, &step, &still->t, q, v, error);
        }
        if (status == CN_OK) {
            status = cn_run_contacts(recorded->run, index, out->memory, &contacts,
                                     &still->contact_count, error);
        }
        double *nodes = out->nodes + node_numbers(recorded->model) * i;
        if (status == CN_OK) {
            status = frame_nodes(recorded, index, out->memory, nodes, error);
        }
        still->q = q;
        still->nodes = nodes;
        still->contacts = contacts;
    }
    free(v);
    if (status != CN_OK) {
        stills_free(out);
    }
    return status;
}

cn_status stills_of_start(const cn_model *model, picture_stills *out, cn_error *error) {
    cn_sim *sim = NULL;
    cn_status status = cn_sim_create(model, NULL, &sim, error);
    if (status == CN_OK) {
        status = stills_start(model, 1, out, error);
    }
    if (status == CN_OK) {
        cn_sim_poses(sim, out->q);
        cn_sim_nodes(sim, out->nodes, NULL);
        out->stills[0] = (picture_still){.t = 0.0, .q = out->q, .nodes = out->nodes};
    }
    cn_sim_destroy(sim);
    return status;
}

void stills_free(picture_stills *stills) {
    free(stills->stills);
    free(stills->q);
    free(stills->nodes);
    cn_arena_destroy(stills->memory);
    *stills = (picture_stills){.count = 0};
}
