// app/web/replay.c
// A run file as the page sees it; see replay.h. What is told of a run as a whole (bounds, a
// reference force) is taken from a few frames spread over it, since reading all of them would be
// reading the file.
#include "web/replay.h"

#include "run/recorded.h"
#include "support/gallery.h"
#include "support/json.h"
#include "support/support.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_SAMPLED_FRAMES 16
#define CN_FORCE_SHARE 0.985 // the percentile that stands for a strong force

// Up to where a figure is good and up to where it is loose, as shares of the run's tolerance,
// length and energy. A loss is judged mildly where theta > 1/2 takes energy on purpose.
static const double cn_limit_residual[2] = {1.0, 30.0};
static const double cn_limit_penetration[2] = {2e-4, 1e-2};
static const double cn_limit_joint[2] = {1e-6, 1e-3};
static const double cn_limit_gain[2] = {1e-5, 1e-3};
static const double cn_limit_loss[2] = {1e-5, 1e-2};
static const double cn_limit_loss_damped[2] = {1e-2, 1e-1};

// ---- opening ----

static int cn_compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The largest extent of a shape; 0 for planes and lines.
static double cn_shape_extent(const cn_shape_info *shape) {
    double extent = 2.0 * shape->radius + shape->length;
    for (int32_t k = 0; k < 3; k++) {
        extent = fmax(extent, shape->size[k]);
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (int32_t i = 0; i < shape->vertex_count; i++) {
            low = fmin(low, shape->vertices[3 * (int64_t)i + k]);
            high = fmax(high, shape->vertices[3 * (int64_t)i + k]);
        }
        extent = shape->vertex_count > 0 ? fmax(extent, high - low) : extent;
    }
    return shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_LINE ? 0.0 : extent;
}

// The median size of the bodies that move, and whether all bodies look the same however turned.
static void cn_show_sizes(cn_show *show) {
    double *sizes = CN_ALLOCATE(double, show->bodies);
    int32_t count = 0;
    show->unturned = show->dim == 3;
    for (cn_body_id id = 1; id <= show->bodies; id++) {
        cn_body_info body;
        double extent = 0.0;
        cn_model_body(show->model, id, &body);
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            cn_model_shape(show->model, id, i, &shape);
            extent = fmax(extent, cn_shape_extent(&shape));
            bool centred = shape.kind == CN_SHAPE_SPHERE && shape.position[0] == 0.0 &&
                           shape.position[1] == 0.0 && shape.position[2] == 0.0;
            show->unturned = show->unturned && centred;
        }
        if (strcmp(body.kind, "rigid") == 0 && extent > 0.0) {
            sizes[count++] = extent;
        }
    }
    qsort(sizes, (size_t)count, sizeof *sizes, cn_compare_reals);
    show->length = count > 0 ? sizes[count / 2] : 0.0;
    free(sizes);
}

// What the scene says; a run of a model built by a program has none, and the file must do.
static cn_status cn_show_settings(cn_show *show, cn_error *error) {
    const char *tolerance = cn_run_meta(show->run, "tolerance");
    show->tolerance = tolerance ? strtod(tolerance, NULL) : (double)NAN;
    show->theta = (double)NAN;
    show->gravity[0] = show->gravity[1] = show->gravity[2] = (double)NAN;
    cn_status status = cn_run_model(show->run, show->path, NULL, 0, &show->model, error);
    if (status == CN_ERR_MEMORY) {
        return status;
    }
    if (status == CN_OK && (cn_model_body_count(show->model) != show->bodies ||
                            cn_model_dim(show->model) != show->dim)) {
        cn_model_destroy(show->model);
        show->model = NULL;
    }
    if (show->model) {
        const cn_settings *settings = cn_model_settings(show->model);
        show->h = settings->step;
        show->theta = settings->theta;
        show->tolerance = settings->tolerance;
        memcpy(show->gravity, settings->gravity, sizeof show->gravity);
        cn_show_sizes(show);
        return CN_OK;
    }
    const int64_t *steps;
    const double *times;
    int64_t last = cn_run_moments(show->run, &steps, &times) - 1;
    show->h = last > 0 && steps[last] > 0 ? times[last] / (double)steps[last] : 1.0;
    return CN_OK;
}

// Gathers the positions of moving bodies and the normal forces of one frame.
static cn_status cn_show_sample(cn_show *show, int64_t place, const bool *moving, cn_arena *memory,
                                cn_bytes *forces, cn_error *error) {
    int32_t pose = show->dim == 3 ? 7 : 3, count;
    int64_t step;
    double t;
    cn_contact_record *contacts;
    cn_status status = cn_run_frame(show->run, place, &step, &t, show->q, show->v, error);
    status = status == CN_OK ? cn_run_contacts(show->run, place, memory, &contacts, &count, error)
                             : status;
    if (status != CN_OK) {
        return status;
    }
    for (int32_t i = 0; i < show->bodies; i++) {
        for (int32_t k = 0; moving[i] && k < show->dim; k++) {
            double x = show->q[(int64_t)pose * i + k];
            show->low[k] = fmin(show->low[k], x); // a NaN is left out
            show->high[k] = fmax(show->high[k], x);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        double force = 0.0;
        for (int32_t k = 0; k < show->dim; k++) {
            force += contacts[i].impulse[k] * contacts[i].normal[k] / show->h;
        }
        if (force > 0.0 && isfinite(force)) {
            cn_bytes_put(forces, &force, sizeof force);
        }
    }
    return CN_OK;
}

static void cn_show_force(cn_show *show, const cn_bytes *forces) {
    int64_t count = (int64_t)(forces->size / sizeof(double));
    show->force_ref = show->force_mean = (double)NAN;
    if (count == 0) {
        return;
    }
    double *sorted = cn_copy_reals((const double *)(const void *)forces->data, count), sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += sorted[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, cn_compare_reals);
    show->force_ref = sorted[(int64_t)(CN_FORCE_SHARE * (double)(count - 1))];
    show->force_mean = sum / (double)count;
    free(sorted);
}

static cn_status cn_show_sample_all(cn_show *show, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    bool *moving = CN_ALLOCATE(bool, show->bodies);
    cn_bytes forces = {0};
    cn_run_body *rows = NULL;
    cn_status status =
        memory ? cn_run_bodies(show->run, memory, &rows, error) : cn_error_memory(error);
    for (int32_t i = 0; status == CN_OK && i < show->bodies; i++) {
        moving[i] = strcmp(rows[i].kind, "rigid") == 0;
    }
    for (int32_t k = 0; k < 3; k++) {
        show->low[k] = (double)INFINITY;
        show->high[k] = -(double)INFINITY;
    }
    // From the first frame to the last; damaged ones are left out here, and told when asked for.
    int64_t frames = cn_run_frame_count(show->run);
    int64_t samples = frames < CN_SAMPLED_FRAMES ? frames : CN_SAMPLED_FRAMES;
    for (int64_t i = 0; status == CN_OK && i < samples; i++) {
        int64_t place = samples > 1 ? i * (frames - 1) / (samples - 1) : 0;
        bool memory_out =
            cn_show_sample(show, place, moving, memory, &forces, error) == CN_ERR_MEMORY;
        status = memory_out ? CN_ERR_MEMORY : CN_OK;
    }
    cn_show_force(show, &forces);
    show->checked = samples > 0;
    cn_bytes_free(&forces);
    cn_arena_destroy(memory);
    free(moving);
    return status;
}

static bool cn_show_weigh(void *user, const cn_step_report *row) {
    double *sums = user;
    sums[0] = fmax(sums[0], row->kinetic);
    sums[1] += fabs(row->work_external);
    return true;
}

// The energy that matters in the run: the largest of kinetic energy, work, and weight times size.
static cn_status cn_show_scale(cn_show *show, cn_error *error) {
    double sums[2] = {0.0, 0.0}, mass = 0.0, gravity = 0.0;
    cn_status status = cn_run_ledger_each(show->run, 0, INT64_MAX, cn_show_weigh, sums, error);
    for (cn_body_id id = 1; show->model && id <= show->bodies; id++) {
        cn_body_info body;
        cn_model_body(show->model, id, &body);
        mass += strcmp(body.kind, "rigid") == 0 ? body.mass : 0.0;
    }
    for (int32_t k = 0; k < show->dim; k++) {
        gravity += show->gravity[k] * show->gravity[k];
    }
    double weight = mass * sqrt(gravity) * show->length;
    show->scale = fmax(sums[0], sums[1]);
    show->scale = weight > show->scale ? weight : show->scale;
    return status;
}

cn_status cn_show_open(const char *path, cn_show *out, cn_error *error) {
    *out = (cn_show){.path = path};
    cn_status status = cn_run_open(NULL, path, &out->run, error);
    if (status != CN_OK) {
        return status;
    }
    out->dim = cn_run_dim(out->run);
    out->bodies = cn_run_body_count(out->run);
    out->q = CN_ALLOCATE(double, 7 * (int64_t)out->bodies + 1);
    out->v = CN_ALLOCATE(double, 6 * (int64_t)out->bodies + 1);
    status = cn_show_settings(out, error);
    status = status == CN_OK ? cn_show_sample_all(out, error) : status;
    status = status == CN_OK ? cn_show_scale(out, error) : status;
    if (status != CN_OK) {
        cn_show_close(out);
    }
    return status;
}

void cn_show_close(cn_show *show) {
    cn_run_close(show->run);
    cn_model_destroy(show->model);
    free(show->q);
    free(show->v);
    free(show->bodies_text);
    *show = (cn_show){0};
}

cn_status cn_show_refresh(cn_show *show, cn_error *error) {
    return cn_run_refresh(show->run, error);
}

double cn_show_energy_initial(cn_show *show) {
    const char *text = cn_run_meta(show->run, "energy_initial");
    return text ? strtod(text, NULL) : 0.0;
}

// ---- hello ----

static void cn_put_reals(cn_json *json, const char *key, const double *x, int32_t count) {
    cn_put_open(json, key, '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_real(json, NULL, x[i]);
    }
    cn_put_close(json, ']');
}

static void cn_put_limit(cn_json *json, const char *key, const double shares[2], double unit) {
    const double limits[2] = {shares[0] * unit, shares[1] * unit};
    cn_put_reals(json, key, limits, 2);
}

static void cn_put_limits(const cn_show *show, cn_json *json) {
    bool damped = show->theta > 0.5;
    double diagonal = 0.0;
    for (int32_t k = 0; k < show->dim; k++) {
        diagonal = fmax(diagonal, show->high[k] - show->low[k]);
    }
    // Without a scene the sizes of bodies are not known here: a tenth of what they fill.
    double length = show->length > 0.0 ? show->length : 0.1 * diagonal;
    cn_put_open(json, "limits", '{');
    cn_put_limit(json, "residual", cn_limit_residual, show->tolerance);
    if (length > 0.0) { // a system described by its equations has none
        cn_put_limit(json, "penetration", cn_limit_penetration, length);
        cn_put_limit(json, "joint", cn_limit_joint, length);
    }
    cn_put_limit(json, "gain", cn_limit_gain, show->scale);
    cn_put_limit(json, "loss", damped ? cn_limit_loss_damped : cn_limit_loss, show->scale);
    cn_put_close(json, '}');
}

// The title of a scene of the gallery is the first line of its comment, which may name its
// experiment in brackets: "A tower stands (E4)."
static void cn_put_title(cn_json *json, const char *name) {
    char *folder = cn_gallery_folder(), *path = folder ? cn_gallery_path(name) : NULL;
    if (path) {
        cn_gallery gallery = cn_gallery_open();
        char *comment = cn_gallery_comment(&gallery, name);
        comment[strcspn(comment, "\n")] = '\0';
        char *bracket = strstr(comment, " (E"), *end = bracket ? strchr(bracket, ')') : NULL;
        if (end) {
            *end = *bracket = '\0';
            cn_put_text(json, "experiment", bracket + 2);
        }
        size_t length = strlen(comment);
        if (length > 0 && comment[length - 1] == '.') {
            comment[length - 1] = '\0';
        }
        cn_put_text(json, "title", comment);
        free(comment);
        cn_gallery_close(&gallery);
    }
    free(path);
    free(folder);
}

static void cn_put_run(cn_show *show, cn_json *json, const cn_show_live *live) {
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(show->run, &steps, &times);
    const char *name = show->model ? cn_model_name(show->model) : cn_run_meta(show->run, "name");
    const char *slash = strrchr(show->path, '/');
    cn_put_open(json, "run", '{');
    cn_put_text(json, "name", name);
    if (name) {
        cn_put_title(json, name);
    }
    cn_put_text(json, "file", live && !live->save ? NULL : slash ? slash + 1 : show->path);
    cn_put_int(json, "dim", show->dim);
    cn_put_real(json, "h", show->h);
    cn_put_real(json, "theta", show->theta);
    if (show->model) {
        const cn_settings *settings = cn_model_settings(show->model);
        cn_put_text(json, "scheme", settings->scheme);
        cn_put_text(json, "solver", settings->solver);
    }
    cn_put_real(json, "tolerance", show->tolerance);
    if (show->model) {
        cn_put_reals(json, "gravity", show->gravity, show->dim);
    }
    int64_t last = cn_run_last_step(show->run);
    cn_put_int(json, "steps", live ? live->step : last);
    cn_put_real(json, "t_end",
                live         ? live->t
                : frames > 0 ? fmax(times[frames - 1], (double)last * show->h)
                             : 0.0);
    const char *status = cn_run_meta(show->run, "status");
    cn_put_bool(json, "complete", !live && status && strcmp(status, "done") == 0);
    cn_put_close(json, '}');
}

static void cn_put_live(const cn_show *show, cn_json *json, const cn_show_live *live) {
    cn_put_open(json, "live", '{');
    cn_put_bool(json, "running", live->running);
    cn_put_real(json, "speed", live->speed);
    cn_put_reals(json, "gravity", live->gravity, show->dim);
    cn_put_real(json, "friction", live->friction);
    cn_put_real(json, "until", live->until);
    cn_put_text(json, "save", live->save);
    cn_put_close(json, '}');
}

static void cn_put_facts(cn_show *show, cn_json *json) {
    cn_put_int(json, "bodies", show->bodies);
    cn_put_bool(json, "contacts_recorded", true);
    if (show->low[0] <= show->high[0]) {
        cn_put_open(json, "bounds", '{');
        cn_put_reals(json, "low", show->low, show->dim);
        cn_put_reals(json, "high", show->high, show->dim);
        cn_put_close(json, '}');
    }
    if (show->force_ref > 0.0) {
        cn_put_open(json, "force", '{');
        cn_put_real(json, "ref", show->force_ref);
        cn_put_real(json, "mean", show->force_mean);
        cn_put_close(json, '}');
    }
    cn_put_limits(show, json);
    cn_put_open(json, "ledger", '[');
    for (int32_t i = 0; i < CN_LEDGER_COLUMNS; i++) {
        cn_put_text(json, NULL, cn_ledger_columns[i]);
    }
    cn_put_close(json, ']');
}

// A stream into memory; ends the program when there is none.
static FILE *cn_memory_stream(char **text, size_t *size) {
    FILE *out = open_memstream(text, size);
    if (!out) {
        exit(cn_report_failure("out of memory"));
    }
    return out;
}

char *cn_show_hello(cn_show *show, const char *mode, const cn_show_live *live) {
    char *text = NULL;
    size_t size;
    FILE *out = cn_memory_stream(&text, &size);
    cn_json json = cn_put_start(out);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "op", "hello");
    cn_put_int(&json, "v", 1);
    cn_put_text(&json, "mode", mode);
    cn_put_text(&json, "cairn", cn_version());
    cn_put_bool(&json, "checked", true); // every residual in a ledger is the checker's
    cn_put_run(show, &json, live);
    cn_put_facts(show, &json);
    if (live) {
        cn_put_live(show, &json, live);
    }
    cn_put_close(&json, '}');
    fclose(out);
    return text;
}

// ---- bodies ----

// Equal texts are found by sorting.
typedef struct cn_shape_text {
    const char *text;
    int32_t body;
} cn_shape_text;

static int cn_compare_shapes(const void *a, const void *b) {
    const cn_shape_text *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->body > y->body) - (x->body < y->body);
}

int32_t *cn_bodies_alike(const cn_run_body *rows, int32_t count) {
    cn_shape_text *sorted = CN_ALLOCATE(cn_shape_text, count);
    int32_t *first = CN_ALLOCATE(int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = (cn_shape_text){rows[i].shape, i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, cn_compare_shapes);
    for (int32_t i = 0; i < count; i++) {
        bool same = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0;
        first[sorted[i].body] = same ? first[sorted[i - 1].body] : sorted[i].body;
    }
    free(sorted);
    return first;
}

// JSON from the file, which anybody may have written: null unless it is.
static void cn_put_stored(cn_json *json, const char *text) {
    cJSON *parsed = cJSON_ParseWithOpts(text, NULL, true);
    cn_put_raw(json, NULL, parsed ? text : "null");
    cJSON_Delete(parsed);
}

static void cn_put_body_columns(const cn_run_body *rows, int32_t count, cn_json *json) {
    cn_put_open(json, "name", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_text(json, NULL, rows[i].name);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "kind", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_text(json, NULL, rows[i].kind);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "material", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_text(json, NULL, rows[i].material);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "mass", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_real(json, NULL, rows[i].mass);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "com", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_stored(json, rows[i].com);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "inertia", '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_stored(json, rows[i].inertia);
    }
    cn_put_close(json, ']');
}

static void cn_put_shapes(const cn_run_body *rows, int32_t count, cn_json *json) {
    int32_t *first = cn_bodies_alike(rows, count), *number = CN_ALLOCATE(int32_t, count);
    int32_t distinct = 0;
    cn_put_open(json, "shape", '[');
    for (int32_t i = 0; i < count; i++) {
        number[i] = first[i] == i ? distinct++ : number[first[i]];
        cn_put_int(json, NULL, number[i]);
    }
    cn_put_close(json, ']');
    cn_put_open(json, "shapes", '[');
    for (int32_t i = 0; i < count; i++) {
        if (first[i] == i) {
            cn_put_stored(json, rows[i].shape);
        }
    }
    cn_put_close(json, ']');
    free(first);
    free(number);
}

static void cn_put_joints(const cn_show *show, cn_json *json) {
    cn_put_open(json, "joints", '[');
    for (int32_t i = 1; i <= cn_model_joint_count(show->model); i++) {
        cn_joint_info joint;
        cn_model_joint(show->model, i, &joint);
        cn_put_open(json, NULL, '{');
        cn_put_text(json, "name", joint.name);
        cn_put_text(json, "kind", cn_joint_kind_text(joint.kind));
        cn_put_open(json, "bodies", '[');
        cn_put_int(json, NULL, joint.body[0] - 1);
        cn_put_int(json, NULL, joint.body[1] - 1);
        cn_put_close(json, ']');
        cn_put_open(json, "points", '[');
        cn_put_reals(json, NULL, joint.point[0], show->dim);
        cn_put_reals(json, NULL, joint.point[1], show->dim);
        cn_put_close(json, ']');
        cn_put_reals(json, "axis", joint.axis, show->dim);
        cn_put_close(json, '}');
    }
    cn_put_close(json, ']');
}

static cn_status cn_show_make_bodies(cn_show *show, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_body *rows = NULL;
    size_t size;
    cn_status status =
        memory ? cn_run_bodies(show->run, memory, &rows, error) : cn_error_memory(error);
    if (status == CN_OK) {
        FILE *out = cn_memory_stream(&show->bodies_text, &size);
        cn_json json = cn_put_start(out);
        cn_put_open(&json, NULL, '{');
        cn_put_text(&json, "op", "bodies");
        cn_put_body_columns(rows, show->bodies, &json);
        cn_put_shapes(rows, show->bodies, &json);
        if (show->model) {
            cn_put_joints(show, &json);
        }
        cn_put_close(&json, '}');
        fclose(out);
    }
    cn_arena_destroy(memory);
    return status;
}

cn_status cn_show_bodies(cn_show *show, const char **text, cn_error *error) {
    cn_status status = show->bodies_text ? CN_OK : cn_show_make_bodies(show, error);
    *text = show->bodies_text;
    return status;
}

// ---- answers ----

int64_t cn_show_find(const cn_show *show, int64_t step) {
    const int64_t *steps;
    const double *times;
    int64_t low = 0, high = cn_run_moments(show->run, &steps, &times);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (steps[middle] <= step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

cn_status cn_show_frame(cn_show *show, int64_t place, uint32_t id, cn_bytes *frame,
                        cn_bytes *contacts, cn_error *error) {
    cn_message_head head = {.id = id};
    cn_contact_record *rows;
    int32_t count;
    cn_arena *memory = cn_arena_create(NULL);
    cn_status status = memory ? CN_OK : cn_error_memory(error);
    status = status == CN_OK
                 ? cn_run_frame(show->run, place, &head.step, &head.t, show->q, show->v, error)
                 : status;
    status =
        status == CN_OK ? cn_run_contacts(show->run, place, memory, &rows, &count, error) : status;
    if (status == CN_OK) {
        cn_message_frame(frame, &head, show->dim, show->bodies, show->unturned, show->q, show->v);
        cn_message_contacts(contacts, &head, show->dim, show->h, rows, count);
    }
    cn_arena_destroy(memory);
    return status;
}

void cn_show_index(const cn_show *show, uint32_t id, int64_t first, cn_bytes *out) {
    const int64_t *steps;
    const double *times;
    int64_t count = cn_run_moments(show->run, &steps, &times);
    first = first < count ? first : count;
    cn_message_index(out, id, steps + first, times + first, count - first);
}

// Sums go from the start of the run, bins only from the step asked for.
typedef struct cn_ledger_answer {
    cn_ledger_sums sums;
    cn_ledger_bins bins;
} cn_ledger_answer;

static bool cn_ledger_answer_add(void *user, const cn_step_report *report) {
    cn_ledger_answer *answer = user;
    double row[CN_LEDGER_COLUMNS];
    cn_ledger_row(&answer->sums, report, row);
    if (report->step >= answer->bins.from) {
        cn_ledger_bins_add(&answer->bins, report->step, report->t, row);
    }
    return true;
}

cn_status cn_show_ledger(cn_show *show, uint32_t id, int64_t from, int64_t to, int64_t bins,
                         cn_bytes *out, cn_error *error) {
    int64_t last = cn_run_last_step(show->run);
    from = from > 1 ? from : 1;
    to = to < last ? to : last;
    cn_ledger_answer answer = {.sums = {.energy_initial = cn_show_energy_initial(show)},
                               .bins = cn_ledger_bins_start(from, to, bins)};
    cn_status status = cn_run_ledger_each(show->run, 0, to, cn_ledger_answer_add, &answer, error);
    if (status == CN_OK) {
        cn_message_ledger(out, id, show->dim, &answer.bins);
    }
    cn_ledger_bins_free(&answer.bins);
    return status;
}
