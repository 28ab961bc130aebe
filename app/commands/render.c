// app/commands/render.c
// cairn render: a picture of a run at some time, a filmstrip of it, or the start of a scene. A PNG
// of one moment is drawn by the page in a browser without a display, where there are both;
// everything else, and a PNG elsewhere, is our own SVG.
#include "draw/browser.h"
#include "run/recorded.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRIP_MAX 12
#define RENDER_WIDTH 1440
#define RENDER_HEIGHT 900

typedef struct render_job {
    const char *input, *output;
    double at;    // NaN: the end
    double drawn; // the time of the frame that was
    bool quiet;
    int32_t strip;
    bool forces;
    bool whole;        // the page with its panels
    bool plain;        // not by the page
    const char *theme; // of the page
    int32_t width, height;
    bool sized; // these were given
} render_job;

static void render_size(void *user, const char *command, const command_option *option, char *text) {
    render_job *job = user;
    (void)option;
    char *copy = format_text("%s", text), *times = strchr(copy, 'x');
    if (!times || times == copy || !times[1]) {
        usage_error(command, "--size wants WxH, as 1440x900, not '%s'", text);
    }
    *times = '\0';
    job->width = (int32_t)parse_int(command, "--size", copy, 64, 8192);
    job->height = (int32_t)parse_int(command, "--size", times + 1, 64, 8192);
    job->sized = true;
    free(copy);
}

static void render_theme(void *job, const char *command, const command_option *option, char *text) {
    (void)option;
    if (strcmp(text, "light") != 0 && strcmp(text, "dark") != 0) {
        usage_error(command, "--theme is light or dark, not '%s'", text);
    }
    ((render_job *)job)->theme = text;
}

static const command_option render_options[] = {
    {"output", 'o', "FILE",
     "Picture to write: .png as the page shows it, where chromium is installed, else as the .svg; "
     "or .svg (default: the run's name with .svg)",
     TO_TEXT(render_job, output)},
    {"at", 0, "T", "The frame nearest to this time [s] (default: the last)",
     TO_REAL(render_job, at, 0.0, 1e300)},
    {"strip", 0, "N", "A filmstrip: N moments from the start to the end",
     TO_INT(render_job, strip, 2, STRIP_MAX)},
    {"forces", 0, NULL, "Draw the contacts' impulses as lines between bodies",
     TO_SET(render_job, forces)},
    {"ui", 0, NULL, "PNG: the whole page, with its panels and plots", TO_SET(render_job, whole)},
    {"theme", 0, "NAME", "PNG: light or dark (default light)", TO_FUNCTION(render_theme)},
    {"size", 0, "WxH", "Width and height in pixels (default 1440x900 as the page shows it)",
     TO_FUNCTION(render_size)},
    {"plain", 0, NULL, "PNG: not by the page, but as the .svg", TO_SET(render_job, plain)},
    {"quiet", 'q', NULL, "Do not say what was written", TO_SET(render_job, quiet)},
    {0}};

static const command_line render_line = {
    .options = render_options,
    .args_doc = "RUN|SCENE",
    ONE_ARGUMENT(render_job, input, "one file at a time, not also '%s'"),
    .missing = "no file given; see cairn render --help",
    .doc = "Draw a run file at some time, or the start of a scene, without a display."};

static int render_draw(const render_job *job, const cn_model *model, const picture_stills *stills,
                       bool start, const char *path) {
    char *subtitle = format_text("%d bodies in %dD, cairn %s", (int)cn_model_body_count(model),
                                 (int)cn_model_dim(model), cn_version());
    picture_spec picture = {.model = model,
                            .title = cn_model_name(model),
                            .subtitle = subtitle,
                            .stills = stills->stills,
                            .count = stills->count,
                            .shown = {job->sized ? job->width : 0, job->sized ? job->height : 0},
                            .marks = start,
                            .forces = job->forces};
    int code = picture_save(&picture, path);
    free(subtitle);
    return code;
}

// Whether a run has deformable bodies, which the page does not show.
static cn_status render_is_soft(cn_run *run, bool *soft, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_mesh *meshes;
    int32_t count = 0;
    cn_status status =
        memory ? cn_run_meshes(run, memory, &meshes, &count, error) : error_memory(error);
    *soft = count > 0;
    cn_arena_destroy(memory);
    return status;
}

// The step of the frame nearest to a time; -1: there is none.
static cn_status render_step(const char *path, double at, int64_t *step, double *t, bool *soft,
                             cn_error *error) {
    cn_run *run;
    const int64_t *steps;
    const double *times;
    *step = -1;
    CN_TRY(cn_run_open(NULL, path, &run, error));
    int64_t count = cn_run_moments(run, &steps, &times);
    for (int64_t i = 0; i < count; i++) {
        if (*step < 0 || isnan(at) || fabs(times[i] - at) < fabs(*t - at)) {
            *step = steps[i];
            *t = times[i];
        }
    }
    cn_status status = render_is_soft(run, soft, error);
    cn_run_close(run);
    return status;
}

// The page with the run in it, drawn by the browser. NOT_DRAWN, or an exit code.
static int render_shot(const render_job *job, int64_t step, double t, const char *path) {
    char *folder = temporary_folder();
    if (!folder) {
        return NOT_DRAWN;
    }
    char *page = format_text("%s/page.html", folder);
    char *address = format_text("file://%s#t=%.17g&fine&theme=%s%s%s", page, t, job->theme,
                                job->whole ? "" : "&picture", job->forces ? "&chains.on=true" : "");
    // The panels show the run's whole time; a picture needs its own frame only.
    int64_t first = job->whole ? 1 : step, last = job->whole ? 0 : step;
    html_report report;
    int code = html_write(job->input, page, first, last, &report);
    code = code == EXIT_DONE ? browser_shoot(address, path, job->width, job->height) : NOT_DRAWN;
    remove(page);
    rmdir(folder);
    free(page);
    free(address);
    free(folder);
    return code;
}

// A PNG of one moment by the page. -1: it cannot be done here, and why has been said.
static int render_page(render_job *job, const char *path) {
    cn_error error = {.status = CN_OK};
    int64_t step;
    double t = 0.0;
    bool soft;
    const char *missing = !html_available() ? "this cairn was built without its page"
                          : !browser_name() ? "chromium is not installed"
                                            : NULL;
    if (!missing) {
        if (render_step(job->input, job->at, &step, &t, &soft, &error) != CN_OK) {
            return report_error_in(&error, job->input);
        }
        job->drawn = t;
        if (soft && !job->whole) {
            fprintf(stderr, "cairn render: not drawn by the page but plainly: the page does not "
                            "show deformable bodies\n");
            return -1;
        }
        if (soft) {
            fprintf(stderr, "cairn render: the page does not show deformable bodies; leave out "
                            "--ui to see them\n");
        }
        int code = step >= 0 ? render_shot(job, step, t, path) : NOT_DRAWN;
        if (code != NOT_DRAWN) {
            return code;
        }
        missing = "the browser did not draw it";
    }
    if (job->whole) {
        return report_failure("%s: --ui needs the page: %s", path, missing);
    }
    fprintf(stderr, "cairn render: not drawn by the page but plainly: %s\n", missing);
    return -1;
}

static int render_run(render_job *job, const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".png") == 0 && job->strip == 0 && !job->plain) {
        int code = render_page(job, path);
        if (code >= 0) {
            return code;
        }
    }
    recorded_run recorded;
    picture_stills stills;
    cn_error error = {.status = CN_OK};
    double times[STRIP_MAX];
    if (recorded_open(job->input, &recorded, &error) != CN_OK) {
        return report_error_in(&error, job->input);
    }
    double end = recorded_end(&recorded);
    int32_t count = job->strip > 0 ? job->strip : 1;
    times[0] = isnan(job->at) ? end : job->at;
    for (int32_t i = 0; job->strip > 0 && i < count; i++) {
        times[i] = end * i / (count - 1);
    }
    int code;
    if (stills_read(&recorded, times, count, &stills, &error) != CN_OK) {
        code = report_error_in(&error, job->input);
    } else {
        job->drawn = stills.stills[0].t;
        code = render_draw(job, recorded.model, &stills, false, path);
        stills_free(&stills);
    }
    recorded_close(&recorded);
    return code;
}

static int render_scene(const render_job *job, const char *path) {
    static const cn_override any_overlap = {"detection.overlap", "1e9"};
    cn_model *model = NULL;
    picture_stills stills;
    cn_error error = {.status = CN_OK}, still_wrong = {.status = CN_OK};
    cn_status status = cn_scene_read(NULL, job->input, NULL, 0, &model, &error);
    if (status != CN_OK) {
        return report_error(&error);
    }
    int code = EXIT_DONE;
    if (stills_of_start(model, &stills, &error) != CN_OK) {
        // Bodies that overlap are best seen.
        code = report_error(&error);
        cn_model_destroy(model);
        model = NULL;
        if (cn_scene_read(NULL, job->input, &any_overlap, 1, &model, &still_wrong) != CN_OK ||
            stills_of_start(model, &stills, &still_wrong) != CN_OK) {
            cn_model_destroy(model);
            return code;
        }
    }
    code = exit_join(code, render_draw(job, model, &stills, true, path));
    stills_free(&stills);
    cn_model_destroy(model);
    return code;
}

// Only what is drawn may be asked for: a file that ends in .pdf would not be one.
static void render_check_ending(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    struct stat about;
    bool device = stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
    if (!device && (!dot || (strcasecmp(dot, ".svg") != 0 && strcasecmp(dot, ".png") != 0))) {
        usage_error("render", "-o %s: pictures are .svg or .png; choose one of these endings",
                    path);
    }
}

// A time after the run's end has no frame.
static int render_check_time(const render_job *job) {
    recorded_run recorded;
    cn_error error = {.status = CN_OK};
    if (isnan(job->at)) {
        return EXIT_DONE;
    }
    if (recorded_open(job->input, &recorded, &error) != CN_OK) {
        return report_error_in(&error, job->input);
    }
    double end = recorded_end(&recorded), step = cn_model_settings(recorded.model)->step;
    recorded_close(&recorded);
    if (job->at > end + step) {
        usage_error("render",
                    "--at %g is after the end of the run, which is at t = %g s; leave it "
                    "out for the end, or continue the run: cairn resume %s --until %g",
                    job->at, end, job->input, job->at);
    }
    return EXIT_DONE;
}

static void render_report(const render_job *job, bool is_scene, const char *path) {
    if (is_scene) {
        print_format(stderr, "%s: the start of %s\n", path, job->input);
    } else if (job->strip > 0) {
        print_format(stderr, "%s: %d moments of %s\n", path, (int)job->strip, job->input);
    } else {
        print_format(stderr, "%s: %s at t = %g s\n", path, job->input, job->drawn);
    }
}

int command_render(int argc, char **argv) {
    render_job job = {
        .at = (double)NAN, .theme = "light", .width = RENDER_WIDTH, .height = RENDER_HEIGHT};
    parse_arguments(&render_line, argc, argv, &job);
    char *gallery;
    job.input = file_or_gallery(job.input, &gallery);
    int code = file_refuse(job.input, FILE_RUN | FILE_SCENE);
    if (code != EXIT_DONE) {
        return code;
    }
    bool is_scene = file_kind(job.input) == FILE_SCENE;
    if (is_scene && (!isnan(job.at) || job.strip > 0 || job.forces)) {
        usage_error("render", "a scene has only its start; run it first");
    }
    char *stem = path_stem(job.input);
    char *path = job.output ? format_text("%s", job.output) : format_text("%s.svg", stem);
    render_check_ending(path);
    code = is_scene ? render_scene(&job, path) : render_check_time(&job);
    code = is_scene || code != EXIT_DONE ? code : render_run(&job, path);
    if (code == EXIT_DONE && !job.quiet) {
        render_report(&job, is_scene, path);
    }
    free(path);
    free(stem);
    free(gallery);
    return code;
}
