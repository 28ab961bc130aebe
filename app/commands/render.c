// app/commands/render.c
// cairn render: a picture of a run at some time, a filmstrip of it, or the start of a scene. A PNG
// of one moment is drawn by the page in a browser without a display, where there are both;
// everything else, and a PNG elsewhere, is our own SVG.
#include "run/recorded.h"
#include "support/file_kind.h"
#include "support/support.h"
#include "web/browser.h"
#include "web/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CN_STRIP_MOST 12
#define CN_RENDER_WIDTH 1440
#define CN_RENDER_HEIGHT 900

typedef struct cn_render_job {
    const char *input, *output;
    double at; // NaN: the end
    int32_t strip;
    bool forces;
    bool whole;        // the page with its panels
    bool plain;        // not by the page
    const char *theme; // of the page
    int32_t width, height;
} cn_render_job;

enum {
    CN_KEY_AT = 256,
    CN_KEY_STRIP,
    CN_KEY_FORCES,
    CN_KEY_UI,
    CN_KEY_PLAIN,
    CN_KEY_THEME,
    CN_KEY_SIZE
};

static const struct argp_option cn_render_options[] = {
    {"output", 'o', "FILE", 0,
     "Picture to write: .png as the page shows it, where chromium is installed, else as the .svg; "
     "or .svg (default: the run's name with .svg)",
     0},
    {"at", CN_KEY_AT, "T", 0, "The frame nearest to this time [s] (default: the last)", 0},
    {"strip", CN_KEY_STRIP, "N", 0, "A filmstrip: N moments from the start to the end", 0},
    {"forces", CN_KEY_FORCES, NULL, 0, "Draw the contacts' impulses as lines between bodies", 0},
    {"ui", CN_KEY_UI, NULL, 0, "PNG: the whole page, with its panels and plots", 0},
    {"theme", CN_KEY_THEME, "NAME", 0, "PNG: light or dark (default light)", 0},
    {"size", CN_KEY_SIZE, "WxH", 0, "PNG: width and height in pixels (default 1440x900)", 0},
    {"plain", CN_KEY_PLAIN, NULL, 0, "PNG: not by the page, but as the .svg", 0},
    {0}};

static void cn_render_size(cn_render_job *job, const char *text) {
    char *copy = cn_text("%s", text), *times = strchr(copy, 'x');
    if (!times) {
        cn_usage_error("render", "--size wants WxH, not '%s'", text);
    }
    *times = '\0';
    job->width = (int32_t)cn_parse_int("render", "--size", copy, 64, 8192);
    job->height = (int32_t)cn_parse_int("render", "--size", times + 1, 64, 8192);
    free(copy);
}

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
    case CN_KEY_UI:
        job->whole = true;
        break;
    case CN_KEY_PLAIN:
        job->plain = true;
        break;
    case CN_KEY_THEME:
        if (strcmp(value, "light") != 0 && strcmp(value, "dark") != 0) {
            cn_usage_error("render", "--theme is light or dark, not '%s'", value);
        }
        job->theme = value;
        break;
    case CN_KEY_SIZE:
        cn_render_size(job, value);
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

// The step of the frame nearest to a time; -1: there is none.
static cn_status cn_render_step(const char *path, double at, int64_t *step, double *t,
                                cn_error *error) {
    cn_run *run;
    const int64_t *steps;
    const double *times;
    *step = -1;
    cn_status status = cn_run_open(NULL, path, &run, error);
    if (status != CN_OK) {
        return status;
    }
    int64_t count = cn_run_moments(run, &steps, &times);
    for (int64_t i = 0; i < count; i++) {
        if (*step < 0 || isnan(at) || fabs(times[i] - at) < fabs(*t - at)) {
            *step = steps[i];
            *t = times[i];
        }
    }
    cn_run_close(run);
    return CN_OK;
}

// The page with the run in it, drawn by the browser. CN_NOT_DRAWN, or an exit code.
static int cn_render_shot(const cn_render_job *job, int64_t step, double t, const char *path) {
    char *folder = cn_temporary_folder();
    if (!folder) {
        return CN_NOT_DRAWN;
    }
    char *page = cn_text("%s/page.html", folder);
    char *address = cn_text("file://%s#t=%.17g&fine&theme=%s%s%s", page, t, job->theme,
                            job->whole ? "" : "&picture", job->forces ? "&chains.on=true" : "");
    // The panels show the run's whole time; a picture needs its own frame only.
    int64_t first = job->whole ? 1 : step, last = job->whole ? 0 : step;
    cn_html_report report;
    int code = cn_html_write(job->input, page, first, last, &report);
    code = code == CN_EXIT_DONE ? cn_browser_shoot(address, path, job->width, job->height)
                                : CN_NOT_DRAWN;
    remove(page);
    rmdir(folder);
    free(page);
    free(address);
    free(folder);
    return code;
}

// A PNG of one moment by the page. -1: it cannot be done here, and why has been said.
static int cn_render_page(const cn_render_job *job, const char *path) {
    cn_error error = {.status = CN_OK};
    int64_t step;
    double t = 0.0;
    const char *missing = !cn_html_available() ? "this cairn was built without its page"
                          : !cn_browser_name() ? "chromium is not installed"
                                               : NULL;
    if (!missing) {
        if (cn_render_step(job->input, job->at, &step, &t, &error) != CN_OK) {
            return cn_report_error_in(&error, job->input);
        }
        int code = step >= 0 ? cn_render_shot(job, step, t, path) : CN_NOT_DRAWN;
        if (code != CN_NOT_DRAWN) {
            return code;
        }
        missing = "the browser did not draw it";
    }
    if (job->whole) {
        return cn_report_failure("%s: --ui needs the page: %s", path, missing);
    }
    fprintf(stderr, "cairn render: not drawn by the page but plainly: %s\n", missing);
    return -1;
}

static int cn_render_run(const cn_render_job *job, const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".png") == 0 && job->strip == 0 && !job->plain) {
        int code = cn_render_page(job, path);
        if (code >= 0) {
            return code;
        }
    }
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
    cn_render_job job = {
        .at = (double)NAN, .theme = "light", .width = CN_RENDER_WIDTH, .height = CN_RENDER_HEIGHT};
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
