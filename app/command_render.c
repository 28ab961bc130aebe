// app/command_render.c
// cairn render: a picture of a run at some time, a filmstrip of it, or the start of a scene.
#include "app.h"
#include "kind.h"
#include "recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_STRIP_MOST 12

typedef struct cn_render_job {
    const char *input, *output;
    double at; // NaN: the end
    int32_t strip;
    bool forces;
} cn_render_job;

enum { CN_KEY_AT = 256, CN_KEY_STRIP, CN_KEY_FORCES };

static const struct argp_option cn_render_options[] = {
    {"output", 'o', "FILE", 0,
     "Picture to write: .svg, or .png where rsvg-convert or chromium is installed (default: the "
     "run's name with .svg)",
     0},
    {"at", CN_KEY_AT, "T", 0, "The frame nearest to this time [s] (default: the last)", 0},
    {"strip", CN_KEY_STRIP, "N", 0, "A filmstrip: N moments from the start to the end", 0},
    {"forces", CN_KEY_FORCES, NULL, 0, "Draw the contacts' impulses as lines between bodies", 0},
    {0}};

static error_t cn_render_option(int key, char *value, struct argp_state *state) {
    cn_render_job *job = state->input;
    switch (key) {
    case 'o':
        job->output = value;
        break;
    case CN_KEY_AT:
        job->at = cn_parse_real("render", "--at", value, 0.0, 1e300);
        break;
    case CN_KEY_STRIP:
        job->strip = (int32_t)cn_parse_int("render", "--strip", value, 2, CN_STRIP_MOST);
        break;
    case CN_KEY_FORCES:
        job->forces = true;
        break;
    case ARGP_KEY_ARG:
        if (job->input) {
            cn_usage_error("render", "one file at a time, not also '%s'", value);
        }
        job->input = value;
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error("render", "no file given; see cairn render --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_render_argp = {
    .options = cn_render_options,
    .parser = cn_render_option,
    .args_doc = "RUN|SCENE",
    .doc = "Draw a run file at some time, or the start of a scene, without a display."};

static int cn_render_draw(const cn_render_job *job, const cn_model *model, const cn_stills *stills,
                          const char *path) {
    char *subtitle = cn_text("%d bodies in %dD, cairn %s", (int)cn_model_body_count(model),
                             (int)cn_model_dim(model), cn_version());
    cn_picture picture = {.model = model,
                          .title = cn_model_name(model),
                          .subtitle = subtitle,
                          .stills = stills->stills,
                          .count = stills->count,
                          .forces = job->forces};
    int code = cn_picture_save(&picture, path);
    free(subtitle);
    return code;
}

static int cn_render_run(const cn_render_job *job, const char *path) {
    cn_recorded recorded;
    cn_stills stills;
    cn_error error = {.status = CN_OK};
    double times[CN_STRIP_MOST];
    if (cn_recorded_open(job->input, &recorded, &error) != CN_OK) {
        return cn_report_error_in(&error, job->input);
    }
    double end = cn_recorded_end(&recorded);
    int32_t count = job->strip > 0 ? job->strip : 1;
    times[0] = isnan(job->at) ? end : job->at;
    for (int32_t i = 0; job->strip > 0 && i < count; i++) {
        times[i] = end * i / (count - 1);
    }
    int code;
    if (cn_stills_read(&recorded, times, count, &stills, &error) != CN_OK) {
        code = cn_report_error_in(&error, job->input);
    } else {
        code = cn_render_draw(job, recorded.model, &stills, path);
        cn_stills_free(&stills);
    }
    cn_recorded_close(&recorded);
    return code;
}

static int cn_render_scene(const cn_render_job *job, const char *path) {
    cn_model *model = NULL;
    cn_stills stills;
    cn_error error = {.status = CN_OK};
    if (cn_scene_read(NULL, job->input, NULL, 0, &model, &error) != CN_OK ||
        cn_stills_of_start(model, &stills, &error) != CN_OK) {
        cn_model_destroy(model);
        return cn_report_error(&error);
    }
    int code = cn_render_draw(job, model, &stills, path);
    cn_stills_free(&stills);
    cn_model_destroy(model);
    return code;
}

int cn_command_render(int argc, char **argv) {
    cn_render_job job = {.at = (double)NAN};
    cn_parse_arguments(&cn_render_argp, argc, argv, &job);
    bool is_scene = cn_file_kind(job.input) == CN_FILE_SCENE;
    if (is_scene && (!isnan(job.at) || job.strip > 0 || job.forces)) {
        cn_usage_error("render", "a scene has only its start; run it first");
    }
    char *stem = cn_path_stem(job.input);
    char *path = job.output ? cn_text("%s", job.output) : cn_text("%s.svg", stem);
    int code = is_scene ? cn_render_scene(&job, path) : cn_render_run(&job, path);
    free(path);
    free(stem);
    return code;
}
