// app/web/replay.c
// A run file as the page sees it; see replay.h. What is reported of a run as a whole (bounds, a
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

#define SAMPLED_FRAMES 16
#define FORCE_SHARE 0.985 // the percentile that stands for a strong force
#define REST_RATE 1e-3    // [1/s] of its size: a body that moves so slowly is at rest to the eye
#define REST_ENERGY 1e-12 // [J] where no mass is known

// Up to where a figure is good and up to where it is loose, as shares of the run's tolerance,
// length and energy. A loss is judged mildly where theta > 1/2 takes energy on purpose.
static const double limit_residual[2] = {1.0, 30.0};
static const double limit_penetration[2] = {2e-4, 1e-2};
static const double limit_joint[2] = {1e-6, 1e-3};
static const double limit_gain[2] = {1e-5, 1e-3};
static const double limit_loss[2] = {1e-5, 1e-2};
static const double limit_loss_damped[2] = {1e-2, 1e-1};

// ---- opening ----

// The largest extent of a shape; 0 for planes and lines.
static double shape_extent(const cn_shape_info *shape) {
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

static bool is_moving(const char *kind) {
    return strcmp(kind, "rigid") == 0 || strcmp(kind, "deformable") == 0;
}

// The median size of the bodies that move, and whether all bodies look the same however turned.
static void replay_sizes(replay_file *replay) {
    double *sizes = ALLOCATE(double, replay->bodies);
    int32_t count = 0;
    replay->unturned = replay->dim == 3;
    for (cn_body_id id = 1; id <= replay->bodies; id++) {
        cn_body_info body;
        double extent = 0.0;
        cn_model_body(replay->model, id, &body);
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            cn_model_shape(replay->model, id, i, &shape);
            extent = fmax(extent, shape_extent(&shape));
            bool centred = shape.kind == CN_SHAPE_SPHERE && shape.position[0] == 0.0 &&
                           shape.position[1] == 0.0 && shape.position[2] == 0.0;
            replay->unturned = replay->unturned && centred;
        }
        cn_mesh_info mesh;
        if (cn_model_mesh(replay->model, id, &mesh)) {
            extent = 2.0 * body.bound;
            replay->unturned = false;
        }
        if (is_moving(body.kind) && extent > 0.0) {
            sizes[count++] = extent;
        }
    }
    qsort(sizes, (size_t)count, sizeof *sizes, compare_reals);
    replay->length = count > 0 ? sizes[count / 2] : 0.0;
    free(sizes);
}

// What the scene says; a run of a model built by a program has none, and the file must do.
static cn_status replay_settings(replay_file *replay, cn_error *error) {
    const char *tolerance = cn_run_meta(replay->run, "tolerance");
    replay->tolerance = tolerance ? strtod(tolerance, NULL) : (double)NAN;
    replay->theta = (double)NAN;
    replay->gravity[0] = replay->gravity[1] = replay->gravity[2] = (double)NAN;
    cn_status status = run_model(NULL, replay->run, replay->path, &replay->model, error);
    if (status == CN_ERR_MEMORY) {
        return status;
    }
    if (status == CN_OK && (cn_model_body_count(replay->model) != replay->bodies ||
                            cn_model_dim(replay->model) != replay->dim)) {
        cn_model_destroy(replay->model);
        replay->model = NULL;
    }
    if (replay->model) {
        const cn_settings *settings = cn_model_settings(replay->model);
        replay->h = settings->step;
        replay->theta = settings->theta;
        replay->tolerance = settings->tolerance;
        memcpy(replay->gravity, settings->gravity, sizeof replay->gravity);
        replay_sizes(replay);
        return CN_OK;
    }
    const int64_t *steps;
    const double *times;
    int64_t last = cn_run_moments(replay->run, &steps, &times) - 1;
    replay->h = last > 0 && steps[last] > 0 ? times[last] / (double)steps[last] : 1.0;
    return CN_OK;
}

// Whether a body is in free fall far below where the run began: as fast as a fall from there makes
// it, or half as fast. What lands somewhere below is at rest in later frames and belongs to the
// picture.
static bool replay_fell_away(const replay_file *replay, const double *x, int32_t body) {
    int32_t size = replay->dim == 3 ? 6 : 3;
    const double *v = replay->v + (int64_t)size * body, *g = replay->gravity;
    double strength = 0.0, fall = 0.0, speed = 0.0, extent = 0.0;
    for (int32_t k = 0; k < replay->dim; k++) {
        strength += g[k] * g[k];
    }
    strength = sqrt(strength);
    if (!(strength > 0.0)) { // NaN where the scene is not known
        return false;
    }
    for (int32_t k = 0; k < replay->dim; k++) {
        double down = g[k] / strength;
        double lowest = down > 0.0 ? replay->start_high[k] : replay->start_low[k];
        fall += (x[k] - lowest) * down;
        speed += v[k] * down;
        extent = fmax(extent, replay->start_high[k] - replay->start_low[k]);
    }
    double margin = extent + 5.0 * replay->length;
    return fall > margin && speed > 0.5 * sqrt(2.0 * strength * fall);
}

// Gathers the positions of moving bodies and the normal forces of one frame.
static cn_status replay_sample(replay_file *replay, int64_t place, const bool *moving,
                               cn_arena *memory, byte_buffer *forces, cn_error *error) {
    int32_t pose = replay->dim == 3 ? 7 : 3, count;
    int64_t step;
    double t;
    cn_contact_record *contacts;
    CN_TRY(cn_run_frame(replay->run, place, &step, &t, replay->q, replay->v, error));
    CN_TRY(cn_run_contacts(replay->run, place, memory, &contacts, &count, error));
    double low[3], high[3];
    memcpy(low, replay->low, sizeof low);
    memcpy(high, replay->high, sizeof high);
    for (int32_t i = 0; i < replay->bodies; i++) {
        const double *x = replay->q + (int64_t)pose * i;
        if (!moving[i] || (place > 0 && replay_fell_away(replay, x, i))) {
            continue;
        }
        for (int32_t k = 0; k < replay->dim; k++) {
            low[k] = fmin(low[k], x[k]); // a NaN is left out
            high[k] = fmax(high[k], x[k]);
        }
    }
    memcpy(replay->low, low, sizeof low);
    memcpy(replay->high, high, sizeof high);
    if (place == 0) {
        memcpy(replay->start_low, low, sizeof low);
        memcpy(replay->start_high, high, sizeof high);
    }
    for (int32_t i = 0; i < count; i++) {
        double force = 0.0;
        for (int32_t k = 0; k < replay->dim; k++) {
            force += contacts[i].impulse[k] * contacts[i].normal[k] / replay->h;
        }
        if (force > 0.0 && isfinite(force)) {
            bytes_put(forces, &force, sizeof force);
        }
    }
    return CN_OK;
}

static void replay_force(replay_file *replay, const byte_buffer *forces) {
    int64_t count = (int64_t)(forces->size / sizeof(double));
    replay->force_ref = replay->force_mean = (double)NAN;
    if (count == 0) {
        return;
    }
    double *sorted = copy_reals((const double *)(const void *)forces->data, count), sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += sorted[i];
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_reals);
    replay->force_ref = sorted[(int64_t)(FORCE_SHARE * (double)(count - 1))];
    replay->force_mean = sum / (double)count;
    free(sorted);
}

static cn_status replay_sample_all(replay_file *replay, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    bool *moving = ALLOCATE(bool, replay->bodies);
    byte_buffer forces = {0};
    cn_run_body *rows = NULL;
    cn_status status =
        memory ? cn_run_bodies(replay->run, memory, &rows, error) : error_memory(error);
    for (int32_t i = 0; status == CN_OK && i < replay->bodies; i++) {
        moving[i] = is_moving(rows[i].kind);
    }
    for (int32_t k = 0; k < 3; k++) {
        replay->low[k] = (double)INFINITY;
        replay->high[k] = -(double)INFINITY;
    }
    // From the first frame to the last; damaged ones are left out here, and reported when asked
    // for.
    int64_t frames = cn_run_frame_count(replay->run);
    int64_t samples = frames < SAMPLED_FRAMES ? frames : SAMPLED_FRAMES;
    for (int64_t i = 0; status == CN_OK && i < samples; i++) {
        int64_t place = samples > 1 ? i * (frames - 1) / (samples - 1) : 0;
        bool memory_out =
            replay_sample(replay, place, moving, memory, &forces, error) == CN_ERR_MEMORY;
        status = memory_out ? CN_ERR_MEMORY : CN_OK;
    }
    replay_force(replay, &forces);
    replay->checked = samples > 0;
    bytes_free(&forces);
    cn_arena_destroy(memory);
    free(moving);
    return status;
}

static bool replay_weigh(void *user, const cn_step_report *row) {
    double *sums = user;
    sums[0] = fmax(sums[0], row->kinetic);
    sums[1] += fabs(row->work_external);
    return true;
}

// The energy that matters in the run: the largest of kinetic energy, work, and weight times size.
static cn_status replay_scale(replay_file *replay, cn_error *error) {
    double sums[2] = {0.0, 0.0}, mass = 0.0, gravity = 0.0;
    cn_status status = cn_run_ledger_each(replay->run, 0, INT64_MAX, replay_weigh, sums, error);
    for (cn_body_id id = 1; replay->model && id <= replay->bodies; id++) {
        cn_body_info body;
        cn_model_body(replay->model, id, &body);
        mass += is_moving(body.kind) ? body.mass : 0.0;
    }
    for (int32_t k = 0; k < replay->dim; k++) {
        gravity += replay->gravity[k] * replay->gravity[k];
    }
    // Not below the energy of bodies that move by REST_RATE of their size per second: without motion
    // and gravity rounding is all there is, and is no failure.
    double slow = REST_RATE * replay->length;
    double minimum = mass > 0.0 ? 0.5 * mass * slow * slow : REST_ENERGY;
    double weight = mass * sqrt(gravity) * replay->length;
    replay->scale = fmax(fmax(sums[0], sums[1]), minimum);
    replay->scale = weight > replay->scale ? weight : replay->scale;
    return status;
}

// For cJSON, so that no memory is not taken for a text that is no JSON.
static void *allocate_bytes(size_t size) {
    return reallocate(NULL, 1, size);
}

cn_status replay_open(const char *path, replay_file *out, cn_error *error) {
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate_bytes, .free_fn = free});
    *out = (replay_file){.path = path};
    cn_status status = cn_run_open(NULL, path, &out->run, error);
    CN_TRY(status);
    out->dim = cn_run_dim(out->run);
    out->bodies = cn_run_body_count(out->run);
    out->q = ALLOCATE(double, 7 * (int64_t)out->bodies + 1);
    out->v = ALLOCATE(double, 6 * (int64_t)out->bodies + 1);
    status = replay_meshes(out, error);
    if (status == CN_OK) {
        status = replay_settings(out, error);
    }
    if (status == CN_OK) {
        status = replay_sample_all(out, error);
    }
    if (status == CN_OK) {
        status = replay_scale(out, error);
    }
    if (status != CN_OK) {
        replay_close(out);
    }
    return status;
}

void replay_close(replay_file *replay) {
    cn_run_close(replay->run);
    cn_model_destroy(replay->model);
    free(replay->q);
    free(replay->v);
    free(replay->bodies_text);
    free(replay->stress);
    cn_arena_destroy(replay->memory);
    *replay = (replay_file){0};
}

cn_status replay_refresh(replay_file *replay, cn_error *error) {
    return cn_run_refresh(replay->run, error);
}

double replay_energy_initial(replay_file *replay) {
    const char *text = cn_run_meta(replay->run, "energy_initial");
    return text ? strtod(text, NULL) : 0.0;
}

// ---- hello ----

static void put_reals(json_writer *json, const char *key, const double *x, int32_t count) {
    put_open(json, key, '[');
    for (int32_t i = 0; i < count; i++) {
        put_real(json, NULL, x[i]);
    }
    put_close(json, ']');
}

static void put_limit(json_writer *json, const char *key, const double shares[2], double unit) {
    const double limits[2] = {shares[0] * unit, shares[1] * unit};
    put_reals(json, key, limits, 2);
}

static void put_limits(const replay_file *replay, json_writer *json) {
    bool damped = replay->theta > 0.5;
    double diagonal = 0.0;
    for (int32_t k = 0; k < replay->dim; k++) {
        diagonal = fmax(diagonal, replay->high[k] - replay->low[k]);
    }
    // Without a scene the sizes of bodies are not known here: a tenth of what they fill.
    double length = replay->length > 0.0 ? replay->length : 0.1 * diagonal;
    put_open(json, "limits", '{');
    put_limit(json, "residual", limit_residual, replay->tolerance);
    if (length > 0.0) { // a system described by its equations has none
        put_limit(json, "penetration", limit_penetration, length);
        put_limit(json, "joint", limit_joint, length);
    }
    put_limit(json, "gain", limit_gain, replay->scale);
    put_limit(json, "loss", damped ? limit_loss_damped : limit_loss, replay->scale);
    put_close(json, '}');
}

// The title of a scene of the gallery is the first line of its comment, which may name its
// experiment in brackets: "A tower stands (E4)."
static void put_title(json_writer *json, const char *name) {
    char *folder = gallery_folder_path(), *path = folder ? gallery_path(name) : NULL;
    if (path) {
        gallery_folder gallery = gallery_open();
        char *comment = gallery_comment(&gallery, name);
        comment[strcspn(comment, "\n")] = '\0';
        char *bracket = strstr(comment, " (E"), *end = bracket ? strchr(bracket, ')') : NULL;
        if (end) {
            *end = *bracket = '\0';
            put_text(json, "experiment", bracket + 2);
        }
        size_t length = strlen(comment);
        if (length > 0 && comment[length - 1] == '.') {
            comment[length - 1] = '\0';
        }
        put_text(json, "title", comment);
        free(comment);
        gallery_close(&gallery);
    }
    free(path);
    free(folder);
}

// last: the last step of the ledger
static void put_run(replay_file *replay, json_writer *json, const hello_live *live, int64_t last) {
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(replay->run, &steps, &times);
    const char *name =
        replay->model ? cn_model_name(replay->model) : cn_run_meta(replay->run, "name");
    const char *slash = strrchr(replay->path, '/');
    put_open(json, "run", '{');
    put_text(json, "name", name);
    if (name) {
        put_title(json, name);
    }
    put_text(json, "file", live && !live->save ? NULL : slash ? slash + 1 : replay->path);
    put_int(json, "dim", replay->dim);
    put_real(json, "h", replay->h);
    put_real(json, "theta", replay->theta);
    if (replay->model) {
        const cn_settings *settings = cn_model_settings(replay->model);
        put_text(json, "scheme", settings->scheme);
        put_text(json, "solver", settings->solver);
    }
    put_real(json, "tolerance", replay->tolerance);
    if (replay->model) {
        put_reals(json, "gravity", replay->gravity, replay->dim);
    }
    put_int(json, "steps", live ? live->step : last);
    put_real(json, "t_end",
             live         ? live->t
             : frames > 0 ? fmax(times[frames - 1], (double)last * replay->h)
                          : 0.0);
    const char *status = cn_run_meta(replay->run, "status");
    put_bool(json, "complete", !live && status && strcmp(status, "done") == 0);
    put_close(json, '}');
}

static void hello_put_live(const replay_file *replay, json_writer *json, const hello_live *live) {
    put_open(json, "live", '{');
    put_bool(json, "running", live->running);
    put_real(json, "speed", live->speed);
    put_reals(json, "gravity", live->gravity, replay->dim);
    put_real(json, "friction", live->friction);
    put_real(json, "until", live->until);
    put_text(json, "save", live->save);
    put_close(json, '}');
}

static void put_facts(replay_file *replay, json_writer *json) {
    put_int(json, "bodies", replay->bodies);
    put_bool(json, "contacts_recorded", true);
    if (replay->low[0] <= replay->high[0]) {
        put_open(json, "bounds", '{');
        put_reals(json, "low", replay->low, replay->dim);
        put_reals(json, "high", replay->high, replay->dim);
        put_close(json, '}');
    }
    if (replay->force_ref > 0.0) {
        put_open(json, "force", '{');
        put_real(json, "ref", replay->force_ref);
        put_real(json, "mean", replay->force_mean);
        put_close(json, '}');
    }
    put_limits(replay, json);
    put_open(json, "ledger", '[');
    for (int32_t i = 0; i < LEDGER_COLUMNS; i++) {
        put_text(json, NULL, ledger_columns[i]);
    }
    put_close(json, ']');
}

// A message of that op.
static json_writer *message_start(json_text *message, const char *op) {
    json_text_start(message);
    put_text(&message->json, "op", op);
    return &message->json;
}

cn_status replay_hello(replay_file *replay, const char *mode, const hello_live *live, char **text,
                       cn_error *error) {
    int64_t last;
    CN_TRY(cn_run_last_step(replay->run, &last, error));
    json_text message;
    json_writer *json = message_start(&message, "hello");
    put_int(json, "v", 1);
    put_text(json, "mode", mode);
    put_text(json, "cairn", cn_version());
    put_bool(json, "checked", true); // every residual in a ledger is the checker's
    put_run(replay, json, live, last);
    put_facts(replay, json);
    if (live) {
        hello_put_live(replay, json, live);
    }
    json_text_end(&message);
    *text = message.text;
    return CN_OK;
}

// ---- bodies ----

// Equal texts are found by sorting.
typedef struct shape_text {
    const char *text;
    int32_t body;
} shape_text;

static int compare_shapes(const void *a, const void *b) {
    const shape_text *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->body > y->body) - (x->body < y->body);
}

int32_t *bodies_alike(const cn_run_body *rows, int32_t count) {
    shape_text *sorted = ALLOCATE(shape_text, count);
    int32_t *first = ALLOCATE(int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        sorted[i] = (shape_text){rows[i].shape, i};
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_shapes);
    for (int32_t i = 0; i < count; i++) {
        bool same = i > 0 && strcmp(sorted[i].text, sorted[i - 1].text) == 0;
        first[sorted[i].body] = same ? first[sorted[i - 1].body] : sorted[i].body;
    }
    free(sorted);
    return first;
}

// JSON from the file, which anybody may have written: null unless it is.
static void put_stored(json_writer *json, const char *text) {
    cJSON *parsed = cJSON_ParseWithOpts(text, NULL, true);
    put_raw(json, NULL, parsed ? text : "null");
    cJSON_Delete(parsed);
}

static void put_name(json_writer *json, const cn_run_body *body) {
    put_text(json, NULL, body->name);
}

static void put_kind(json_writer *json, const cn_run_body *body) {
    put_text(json, NULL, body->kind);
}

static void put_material(json_writer *json, const cn_run_body *body) {
    put_text(json, NULL, body->material);
}

static void put_mass(json_writer *json, const cn_run_body *body) {
    put_real(json, NULL, body->mass);
}

static void put_com(json_writer *json, const cn_run_body *body) {
    put_stored(json, body->com);
}

static void put_inertia(json_writer *json, const cn_run_body *body) {
    put_stored(json, body->inertia);
}

static void put_body_columns(const cn_run_body *rows, int32_t count, json_writer *json) {
    static const struct {
        const char *key;
        void (*put)(json_writer *json, const cn_run_body *body);
    } columns[] = {{"name", put_name}, {"kind", put_kind}, {"material", put_material},
                   {"mass", put_mass}, {"com", put_com},   {"inertia", put_inertia}};
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
        put_open(json, columns[k].key, '[');
        for (int32_t i = 0; i < count; i++) {
            columns[k].put(json, &rows[i]);
        }
        put_close(json, ']');
    }
}

static void put_shapes(const cn_run_body *rows, int32_t count, json_writer *json) {
    int32_t *first = bodies_alike(rows, count), *number = ALLOCATE(int32_t, count);
    int32_t distinct = 0;
    put_open(json, "shape", '[');
    for (int32_t i = 0; i < count; i++) {
        number[i] = first[i] == i ? distinct++ : number[first[i]];
        put_int(json, NULL, number[i]);
    }
    put_close(json, ']');
    put_open(json, "shapes", '[');
    for (int32_t i = 0; i < count; i++) {
        if (first[i] == i) {
            put_stored(json, rows[i].shape);
        }
    }
    put_close(json, ']');
    free(first);
    free(number);
}

static void put_joints(const replay_file *replay, json_writer *json) {
    put_open(json, "joints", '[');
    for (int32_t i = 1; i <= cn_model_joint_count(replay->model); i++) {
        cn_joint_info joint;
        cn_model_joint(replay->model, i, &joint);
        put_open(json, NULL, '{');
        put_text(json, "name", joint.name);
        put_text(json, "kind", cn_joint_kind_text(joint.kind));
        put_open(json, "bodies", '[');
        put_int(json, NULL, joint.body[0] - 1);
        put_int(json, NULL, joint.body[1] - 1);
        put_close(json, ']');
        put_open(json, "points", '[');
        put_reals(json, NULL, joint.point[0], replay->dim);
        put_reals(json, NULL, joint.point[1], replay->dim);
        put_close(json, ']');
        put_reals(json, "axis", joint.axis, replay->dim);
        put_close(json, '}');
    }
    put_close(json, ']');
}

static cn_status replay_make_bodies(replay_file *replay, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_body *rows = NULL;
    cn_status status =
        memory ? cn_run_bodies(replay->run, memory, &rows, error) : error_memory(error);
    if (status == CN_OK) {
        json_text message;
        json_writer *json = message_start(&message, "bodies");
        put_body_columns(rows, replay->bodies, json);
        put_shapes(rows, replay->bodies, json);
        if (replay->model) {
            put_joints(replay, json);
        }
        if (replay->soft_count > 0) {
            status = replay_put_deformable(replay, json, error);
        }
        json_text_end(&message);
        replay->bodies_text = message.text;
    }
    cn_arena_destroy(memory);
    return status;
}

cn_status replay_bodies(replay_file *replay, const char **text, cn_error *error) {
    cn_status status = replay->bodies_text ? CN_OK : replay_make_bodies(replay, error);
    *text = replay->bodies_text;
    return status;
}

// ---- answers ----

int64_t replay_find(const replay_file *replay, int64_t step) {
    const int64_t *steps;
    const double *times;
    int64_t low = 0, high = cn_run_moments(replay->run, &steps, &times);
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

cn_status replay_frame(replay_file *replay, int64_t place, uint32_t id, byte_buffer *frame,
                       byte_buffer *contacts, cn_error *error) {
    message_head head = {.id = id};
    cn_contact_record *rows;
    int32_t count;
    cn_arena *memory = cn_arena_create(NULL);
    cn_status status = memory ? CN_OK : error_memory(error);
    if (status == CN_OK) {
        status = cn_run_frame(replay->run, place, &head.step, &head.t, replay->q, replay->v, error);
    }
    if (status == CN_OK) {
        status = cn_run_contacts(replay->run, place, memory, &rows, &count, error);
    }
    message_soft soft;
    if (status == CN_OK) {
        status = replay_soft(replay, place, memory, &soft, error);
    }
    message_joints joints = {.h = replay->h};
    cn_joint_record *joint_rows;
    if (status == CN_OK) {
        status = cn_run_joints(replay->run, place, memory, &joint_rows, &joints.count, error);
    }
    if (status == CN_OK) {
        joints.row = joint_rows;
        message_frame(frame, &head, replay->dim, replay->bodies, replay->unturned, replay->q,
                      replay->v, &joints, &soft);
        message_contacts(contacts, &head, replay->dim, replay->h, rows, count);
    }
    cn_arena_destroy(memory);
    return status;
}

void replay_index(const replay_file *replay, uint32_t id, int64_t first, byte_buffer *out) {
    const int64_t *steps;
    const double *times;
    int64_t count = cn_run_moments(replay->run, &steps, &times);
    first = first < count ? first : count;
    message_index(out, id, steps + first, times + first, count - first);
}

// Sums go from the start of the run, bins only from the step asked for.
typedef struct ledger_answer {
    ledger_sums sums;
    ledger_bins bins;
} ledger_answer;

static bool ledger_answer_add(void *user, const cn_step_report *report) {
    ledger_answer *answer = user;
    double row[LEDGER_COLUMNS];
    ledger_row(&answer->sums, report, row);
    if (report->step >= answer->bins.from) {
        ledger_bins_add(&answer->bins, report->step, report->t, row);
    }
    return true;
}

cn_status replay_ledger(replay_file *replay, uint32_t id, int64_t from, int64_t to, int64_t bins,
                        byte_buffer *out, cn_error *error) {
    int64_t last;
    CN_TRY(cn_run_last_step(replay->run, &last, error));
    from = from > 1 ? from : 1;
    to = to < last ? to : last;
    ledger_answer answer = {.sums = {.energy_initial = replay_energy_initial(replay)},
                            .bins = ledger_bins_start(from, to, bins)};
    cn_status status = cn_run_ledger_each(replay->run, 0, to, ledger_answer_add, &answer, error);
    if (status == CN_OK) {
        message_ledger(out, id, replay->dim, &answer.bins);
    }
    ledger_bins_free(&answer.bins);
    return status;
}
