// Scenes as files: includes, files that scenes name, the resolved text, the gallery, failing
// memory.
#include "check.h"

#include <cairn/scene.h>

#include "failing_allocator.h"
#include "model/model.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a folder for files ----

static char folder[64];

static void open_folder(void) {
    strcpy(folder, "/tmp/cairn-scene-XXXXXX");
    CN_CHECK_TRUE(mkdtemp(folder) != NULL);
}

static const char *path_of(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text) {
    FILE *file = fopen(path_of(name), "wb");
    CN_CHECK_TRUE(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void close_folder(void) {
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (entry->d_name[0] != '.') {
            unlink(path_of(entry->d_name));
        }
    }
    closedir(list);
    rmdir(folder);
}

static cn_model *read_file(const char *name) {
    cn_model *model = NULL;
    cn_error error = {0};
    if (cn_scene_read(NULL, path_of(name), NULL, 0, &model, &error) != CN_OK) {
        char shown[1200];
        print_error("%s\n", cn_error_format(&error, shown, sizeof shown));
        fail();
    }
    return model;
}

// The error of a file, without the folder's name where it starts with it.
static void check_file_error(const char *name, cn_status status, const char *wanted) {
    cn_model *model = NULL;
    cn_error error = {0};
    char shown[1200];
    cn_status got = cn_scene_read(NULL, path_of(name), NULL, 0, &model, &error);
    cn_error_format(&error, shown, sizeof shown);
    size_t length = strlen(folder);
    const char *rest = strncmp(shown, folder, length) == 0 ? shown + length + 1 : shown;
    if (got != status || model) {
        print_error("status %d instead of %d: %s\n", (int)got, (int)status, shown);
        fail();
    }
    assert_string_equal(rest, wanted);
}

// ---- includes ----

CN_TEST(included_files_come_first_and_the_includer_wins) {
    open_folder();
    put_file("stone.yaml",
             "cairn: 1\nname: other\nmaterials: {stone: {density: 2500}}\n"
             "solver: {tolerance: 1e-3, max_iterations: 5}\n"
             "contacts: [{between: ['*', '*'], friction: 0.1}]\n"
             "bodies: [{name: first, material: stone, shape: {sphere: {radius: 1}}}]\n");
    put_file("wood.yaml", "cairn: 1\nmaterials: {wood: {density: 700}, stone: {density: 2000}}\n");
    put_file("main.yaml",
             "cairn: 1\ninclude: [stone.yaml, wood.yaml]\nsolver: {tolerance: 1e-6}\n"
             "contacts: [{between: [stone, wood], friction: 0.4}]\n"
             "bodies: [{name: second, material: wood, shape: {sphere: {radius: 1}}}]\n");
    cn_model *model = read_file("main.yaml");
    assert_string_equal(cn_model_name(model), "main");
    CN_CHECK_TRUE(cn_model_find_body(model, "first") == 1);
    CN_CHECK_TRUE(cn_model_find_body(model, "second") == 2);
    CN_CHECK_NEAR(model->settings.tolerance, 1e-6, 0.0);
    CN_CHECK_TRUE(model->settings.max_iterations == 5);
    CN_CHECK_NEAR(model->material[0].density, 2000, 0.0);
    CN_CHECK_NEAR(model_pair(model, 0, 1)->friction, 0.4, 0.0);
    CN_CHECK_NEAR(model_pair(model, 0, 0)->friction, 0.1, 0.0);
    CN_CHECK_TRUE(strstr(model->body[0].source.file, "stone.yaml") != NULL);
    CN_CHECK_TRUE(strstr(cn_model_scene_text(model), "include") == NULL);
    cn_model_destroy(model);
    close_folder();
}

// Neither read nor waited for.
CN_TEST(pipes_and_devices_are_not_read_as_parts_of_a_scene) {
    static const struct {
        const char *name, *says;
    } parts[] = {{"pipe", "pipe or device"},
                 {"/dev/zero", "pipe or device"},
                 {"/dev/tty", "o"}, // there may be none
                 {"/dev", "folder"}};
    static const char *const uses[] = {
        "cairn: 1\ninclude: [%s]\n",
        "cairn: 1\nmaterials: {a: {density: 1}}\ngenerate: [{table: {file: %s, material: a}}]\n",
        ("cairn: 1\nmaterials: {a: {density: 1}}\nbodies: [{material: a, shape: {mesh: {file: "
         "%s}}}]\n")};
    open_folder();
    CN_CHECK_TRUE(mkfifo(path_of("pipe"), 0600) == 0);
    for (size_t use = 0; use < sizeof uses / sizeof uses[0]; use++) {
        for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
            char text[256];
            cn_error error = {.status = CN_OK};
            cn_model *model = NULL;
            snprintf(text, sizeof text, uses[use], parts[part].name);
            put_file("s.yaml", text);
            cn_status status = cn_scene_read(NULL, path_of("s.yaml"), NULL, 0, &model, &error);
            if (status != CN_ERR_INPUT || !strstr(error.message, parts[part].says) ||
                error.line == 0) {
                print_error("%s: %s\n", text, error.message);
                fail();
            }
        }
    }
    close_folder();
}

CN_TEST(wrong_includes_are_pointed_at) {
    open_folder();
    put_file("self.yaml", "cairn: 1\ninclude: [self.yaml]\n");
    put_file("a.yaml", "cairn: 1\ninclude: b.yaml\n");
    put_file("b.yaml", "cairn: 1\ninclude: [./a.yaml]\n");
    put_file("missing.yaml", "cairn: 1\ninclude:\n  - nowhere.yaml\n");
    put_file("old.yaml", "cairn: 1\ninclude: [noversion.yaml]\n");
    put_file("noversion.yaml", "bodies: []\n");
    put_file("bad.yaml", "cairn: 1\ninclude: [typo.yaml]\n");
    put_file("typo.yaml", "cairn: 1\nsolver:\n  tolerence: 1\n");
    put_file("list.yaml", "cairn: 1\ninclude: {a: 1}\n");
    put_file("two.yaml", "cairn: 1\ndimension: 2\n");
    put_file("three.yaml", "cairn: 1\ndimension: 3\ninclude: [two.yaml]\n");
    check_file_error("self.yaml", CN_ERR_INPUT, "self.yaml:2:11: \"self.yaml\" includes itself");
    check_file_error("a.yaml", CN_ERR_INPUT, "b.yaml:2:11: \"./a.yaml\" includes itself");
    char wanted[256];
    snprintf(wanted, sizeof wanted,
             "missing.yaml:3:5: cannot read the included file \"%s/nowhere.yaml\": cannot open: No "
             "such file or directory",
             folder);
    check_file_error("missing.yaml", CN_ERR_INPUT, wanted);
    check_file_error("old.yaml", CN_ERR_INPUT,
                     "noversion.yaml:1:1: the version of the format is missing; write \"cairn: 1\" "
                     "at the top");
    check_file_error("bad.yaml", CN_ERR_INPUT,
                     "typo.yaml:3:3: solver has no key \"tolerence\"; did you mean \"tolerance\"?");
    check_file_error("list.yaml", CN_ERR_INPUT,
                     "list.yaml:2:10: include must be a list of file names");
    check_file_error("three.yaml", CN_ERR_INPUT,
                     "two.yaml:2:12: this included file has dimension 2, another has 3");
    check_file_error("none.yaml", CN_ERR_IO, "none.yaml: cannot open: No such file or directory");
    close_folder();
}

CN_TEST(includes_are_limited) {
    open_folder();
    // Each file includes the next twice: 2^20 readings without a limit.
    for (int i = 0; i < 21; i++) {
        char name[32];
        char text[128];
        snprintf(name, sizeof name, "f%d.yaml", i);
        snprintf(text, sizeof text, "cairn: 1\ninclude: [f%d.yaml, f%d.yaml]\n", i + 1, i + 1);
        put_file(name, i < 20 ? text : "cairn: 1\n");
    }
    cn_model *model = NULL;
    cn_error error;
    CN_CHECK_TRUE(cn_scene_read(NULL, path_of("f0.yaml"), NULL, 0, &model, &error) == CN_ERR_INPUT);
    assert_string_equal(error.message, "there are too many includes");
    close_folder();
}

// ---- files that scenes name ----

static const char cube_obj[] =
    "# two cubes\no left\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "vn 0 0 1\nusemtl red\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1/1/1 2/2/1 6/3/1 5/4/1\nf 2//1 3//1 7//1 6//1\nf 3 4 8 7\nf 4 1 5 8\n"
    "g right\n"
    "v 2 0 0\nv 3 0 0\nv 3 1 0\nv 2 1 0\nv 2 0 1\nv 3 0 1\nv 3 1 1\nv 2 1 1\n"
    "f -5 -6 -7 -8\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";

CN_TEST(a_mesh_becomes_its_convex_parts) {
    open_folder();
    put_file("cubes.obj", cube_obj);
    put_file("mesh.yaml", "cairn: 1\nmaterials: {m: {density: 3}}\n"
                          "bodies: [{material: m, shape: {mesh: {file: cubes.obj, scale: 2}}}]\n");
    cn_model *model = read_file("mesh.yaml");
    CN_CHECK_TRUE(model->shape_count == 2);
    CN_CHECK_NEAR(model->body[0].mass, 3 * 2 * 8, 1e-12);
    CN_CHECK_NEAR(model->body[0].com[0], 3.0, 1e-14);
    CN_CHECK_TRUE(strstr(cn_model_scene_text(model), "polyhedron") != NULL);
    CN_CHECK_TRUE(strstr(cn_model_scene_text(model), "cubes.obj") == NULL);
    cn_model_destroy(model);
    close_folder();
}

CN_TEST(a_mesh_may_be_an_stl_file) {
    static const int corner[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    char text[2048] = "solid part\n";
    for (int f = 0; f < 4; f++) {
        strcat(text, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            static const char *const point[4] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
            strcat(strcat(strcat(text, "vertex "), point[corner[f][k]]), "\n");
        }
        strcat(text, "endloop\nendfacet\n");
    }
    open_folder();
    put_file("part.stl", strcat(text, "endsolid part\n"));
    put_file("mesh.yaml", "cairn: 1\nmaterials: {m: {density: 6}}\n"
                          "bodies: [{material: m, shape: {mesh: {file: part.stl}}}]\n");
    cn_model *model = read_file("mesh.yaml");
    CN_CHECK_TRUE(model->shape_count == 1 && model->shape[0].hull.vertex_count == 4);
    CN_CHECK_NEAR(model->body[0].mass, 1.0, 1e-14);
    cn_model_destroy(model);
    close_folder();
}

CN_TEST(wrong_meshes_are_pointed_at) {
    open_folder();
    const char *scene = "cairn: 1\nmaterials: {m: {density: 3}}\n"
                        "bodies: [{material: m, shape: {mesh: {file: x.obj}}}]\n";
    put_file("mesh.yaml", scene);
    put_file("x.obj", "v 0 0\n");
    check_file_error("mesh.yaml", CN_ERR_INPUT, "x.obj:1:1: the point has 2 numbers; it needs 3");
    put_file("x.obj", "v 0 0 0\nf 1 1 2\n");
    check_file_error("mesh.yaml", CN_ERR_INPUT,
                     "x.obj:2:7: the corner names a point that is not among the 1 so far");
    put_file("x.obj", "v 0 0 0\nf 1 1\n");
    check_file_error("mesh.yaml", CN_ERR_INPUT, "x.obj:2:1: the face has 2 corners; it needs 3");
    put_file("x.obj", "v 0 0 0\n");
    check_file_error("mesh.yaml", CN_ERR_INPUT, "x.obj: the file has no faces");
    close_folder();
}

CN_TEST(a_table_may_be_a_file) {
    open_folder();
    put_file("balls.csv", "x,y,z,radius\r\n0,0,1,0.5\r\n2,0,1,0.25\r\n");
    put_file("bad.csv", "x,y,z,radius\n0,0,1,0.5\n2,0,up,0.25\n");
    put_file("good.yaml", "cairn: 1\nmaterials: {m: {density: 3}}\n"
                          "generate: [{table: {file: balls.csv, material: m}}]\n");
    put_file("bad.yaml", "cairn: 1\nmaterials: {m: {density: 3}}\n"
                         "generate: [{table: {file: bad.csv, material: m}}]\n");
    cn_model *model = read_file("good.yaml");
    CN_CHECK_TRUE(model->body_count == 2);
    CN_CHECK_TRUE(model->body[1].source.line == 3);
    CN_CHECK_TRUE(strstr(model->body[1].source.file, "balls.csv") != NULL);
    CN_CHECK_TRUE(strstr(cn_model_scene_text(model), "balls.csv") == NULL);
    cn_model_destroy(model);
    check_file_error("bad.yaml", CN_ERR_INPUT, "bad.csv:3:5: this must be a number, not \"up\"");
    close_folder();
}

// ---- the same model ----

static bool same_bits(const void *a, const void *b, size_t bytes) {
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_settings(const cn_settings *a, const cn_settings *b) {
    cn_settings x = *a;
    cn_settings y = *b;
    bool texts = same_text(x.solver, y.solver) && same_text(x.local, y.local) &&
                 same_text(x.fallback, y.fallback) && same_text(x.params, y.params);
    x.solver = y.solver = x.local = y.local = x.fallback = y.fallback = NULL;
    x.params = y.params = NULL;
    const double p[] = {x.step,      x.until,      x.frames_every, x.checkpoint_every, x.theta,
                        x.tolerance, x.time_limit, x.activation,   x.max_iterations,   x.halvings};
    const double q[] = {y.step,      y.until,      y.frames_every, y.checkpoint_every, y.theta,
                        y.tolerance, y.time_limit, y.activation,   y.max_iterations,   y.halvings};
    bool unset = isnan(x.alert) == isnan(y.alert) && (isnan(x.alert) || x.alert == y.alert) &&
                 isnan(x.overlap_max) == isnan(y.overlap_max);
    return texts && unset && same_bits(p, q, sizeof p) && x.on_stall == y.on_stall &&
           same_bits(x.gravity, y.gravity, sizeof x.gravity);
}

static bool same_shape(const geom_shape *a, const geom_shape *b) {
    size_t vertices = (size_t)a->hull.vertex_count;
    return a->kind == b->kind && same_bits(a->position, b->position, sizeof a->position) &&
           same_bits(a->R, b->R, sizeof a->R) && a->radius == b->radius && a->half == b->half &&
           same_bits(a->axes, b->axes, sizeof a->axes) &&
           same_bits(a->normal, b->normal, sizeof a->normal) && a->offset == b->offset &&
           a->hull.vertex_count == b->hull.vertex_count &&
           a->hull.face_count == b->hull.face_count &&
           same_bits(a->hull.vertex, b->hull.vertex, 3 * vertices * sizeof(double));
}

static bool same_body(const cn_model *one, const cn_model *other, int32_t i) {
    const model_body *a = &one->body[i], *b = &other->body[i];
    return same_text(a->name, b->name) && a->material == b->material && a->role == b->role &&
           same_bits(&a->mass, &b->mass, sizeof a->mass) &&
           same_bits(a->com, b->com, sizeof a->com) &&
           same_bits(one->inertia[a->inertia].tensor, other->inertia[b->inertia].tensor,
                     9 * sizeof(double)) &&
           a->lock == b->lock && a->lock_body_axes == b->lock_body_axes &&
           a->shape_first == b->shape_first && a->shape_count == b->shape_count;
}

static bool same_signals(base_evaluator *const by[2], base_signal *const a[3],
                         base_signal *const b[3]) {
    for (int i = 0; i < 3; i++) {
        for (double t = 0.0; t < 12.0; t += 0.37) {
            if (base_signal_at(a[i], by[0], t) != base_signal_at(b[i], by[1], t)) {
                return false;
            }
        }
    }
    return true;
}

static const char *different_signals(const cn_model *a, const cn_model *b) {
    base_evaluator *by[2] = {model_evaluator(a, NULL, NULL, NULL),
                             model_evaluator(b, NULL, NULL, NULL)};
    bool forces = by[0] && by[1], motions = forces;
    for (int32_t i = 0; forces && i < a->force_count; i++) {
        forces = same_signals(by, a->force[i].force, b->force[i].force) &&
                 same_signals(by, a->force[i].torque, b->force[i].torque);
    }
    for (int32_t i = 0; motions && i < a->motion_count; i++) {
        motions = same_signals(by, a->motion[i].velocity, b->motion[i].velocity);
    }
    base_evaluator_destroy(by[0]);
    base_evaluator_destroy(by[1]);
    return !forces ? "forces" : !motions ? "motions" : NULL;
}

// What two models differ in; NULL: nothing.
static const char *difference(const cn_model *a, const cn_model *b) {
    if (a->dim != b->dim || a->body_count != b->body_count || a->shape_count != b->shape_count ||
        a->material_count != b->material_count || a->force_count != b->force_count ||
        a->motion_count != b->motion_count || !same_text(a->name, b->name)) {
        return "numbers of things";
    }
    size_t bodies = (size_t)a->body_count * sizeof(double);
    if (!same_settings(&a->settings, &b->settings)) {
        return "settings";
    }
    if (!same_bits(a->q0, b->q0, bodies * (size_t)model_pose_size(a->dim)) || !a->v0 != !b->v0 ||
        (a->v0 && !same_bits(a->v0, b->v0, bodies * (size_t)model_velocity_size(a->dim)))) {
        return "start";
    }
    for (int32_t i = 0; i < a->body_count; i++) {
        if (!same_body(a, b, i)) {
            return "bodies";
        }
    }
    for (int32_t i = 0; i < a->shape_count; i++) {
        if (!same_shape(&a->shape[i], &b->shape[i])) {
            return "shapes";
        }
    }
    for (int32_t i = 0; i < a->material_count * a->material_count; i++) {
        if (!same_bits(&a->pair[i].friction, &b->pair[i].friction, 5 * sizeof(double)) ||
            a->pair[i].law != b->pair[i].law) {
            return "laws";
        }
    }
    return different_signals(a, b);
}

// The resolved text gives the same model again, and the same text.
static void check_round_trip(const cn_model *model, const char *name) {
    cn_model *again = NULL;
    cn_error error = {0};
    const char *text = cn_model_scene_text(model);
    if (cn_scene_read_text(NULL, "again.yaml", text, strlen(text), NULL, 0, &again, &error) !=
        CN_OK) {
        print_error("%s: %d:%d: %s\n", name, error.line, error.column, error.message);
        fail();
    }
    const char *differ = difference(model, again);
    if (differ || strcmp(text, cn_model_scene_text(again)) != 0) {
        print_error("%s differs after a round trip: %s\n", name, differ ? differ : "its text");
        fail();
    }
    cn_model_destroy(again);
}

CN_TEST(the_resolved_text_is_the_same_scene) {
    open_folder();
    put_file("balls.csv", "x,y,z,radius,qw,qx\n0,0,1,0.1,0.3,0.4\n2,0,1,0.25,1,0\n");
    put_file("cubes.obj", cube_obj);
    put_file("part.yaml", "cairn: 1\nmaterials: {m: {density: 3}, n: {density: 0.1}}\n"
                          "bodies:\n  - &b {material: m, position: [0.1, 0.2, 1e-3],\n"
                          "     shape: {mesh: {file: cubes.obj, scale: 0.3}}}\n"
                          "  - *b\n");
    put_file(
        "all.yaml",
        "cairn: 1\ninclude: [part.yaml]\ntime: {step: 1.0e-3}\n"
        "contacts: [{between: ['*', n], friction: {static: 0.7, dynamic: 0.6}}]\n"
        "bodies:\n"
        "  - {name: 'a b: #c', material: n, rotation: {axis: [1, 2, 3], angle: 0.7},\n"
        "     shape: {compound: [{sphere: {radius: 0.1}, position: [0, 0, 5]}]}}\n"
        "forces: [{body: 'a b: #c', force: ['sin(3*t)', {times: [0, 1], values: [0.1, 2]}, 0]}]\n"
        "motions: [{body: g-1, velocity: ['cos(t)', 0, 0]}]\n"
        "generate:\n"
        "  - {table: {file: balls.csv, material: m}}\n"
        "  - {grid: {count: [2, 2, 2], spacing: [9, 9, 9], jitter: 0.5, name: g, material: n,\n"
        "           shape: {capsule: {radius: 0.5, length: 1}}}}\n"
        "  - {packing: {count: 40, shape: {box: {size: [0.1, 0.2, 0.3]}}, material: m,\n"
        "              inside: [[0, 0, 0], [9, 9, 9]]}}\n");
    cn_model *model = read_file("all.yaml");
    check_round_trip(model, "all.yaml");
    cn_model_destroy(model);
    close_folder();
}

// ---- the gallery ----

CN_TEST(every_scene_of_the_gallery_reads_and_has_a_head) {
    DIR *list = opendir(CAIRN_SOURCE_DIR "/scenes");
    CN_CHECK_TRUE(list != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".yaml") != 0) {
            continue;
        }
        char path[512];
        char first[256] = "";
        snprintf(path, sizeof path, CAIRN_SOURCE_DIR "/scenes/%s", entry->d_name);
        FILE *file = fopen(path, "r");
        CN_CHECK_TRUE(file && fgets(first, sizeof first, file) && strncmp(first, "# ", 2) == 0);
        fclose(file);
        cn_model *model = NULL;
        cn_error error = {0};
        if (cn_scene_read(NULL, path, NULL, 0, &model, &error) != CN_OK) {
            print_error("%s:%d:%d: %s\n", entry->d_name, error.line, error.column, error.message);
            fail();
        }
        // A scene is called as its file is.
        CN_CHECK_TRUE(strncmp(cn_model_name(model), entry->d_name, strlen(cn_model_name(model))) ==
                      0);
        check_round_trip(model, entry->d_name);
        cn_model_destroy(model);
        count++;
    }
    closedir(list);
    CN_CHECK_TRUE(count >= 17);
}

// ---- failing memory ----

CN_TEST(every_failing_allocation_is_reported_and_leaks_nothing) {
    static const char text[] =
        "cairn: 1\nmaterials: {m: {density: 3}}\ncontacts: [{between: [m, '*'], friction: 0.5}]\n"
        "bodies: [{name: g, fixed: true, material: m, shape: {plane: {normal: [0, 0, 1]}}}]\n"
        "forces: [{body: c-1, force: ['sin(t)', 0, {times: [0, 1], values: [0, 1]}]}]\n"
        "motions: [{body: g, velocity: [0, 0, 't']}]\n"
        "generate:\n"
        "  - {packing: {count: 300, radius: 1, arrangement: random, inside: [[0, 0, 0], [30, 30, "
        "30]],"
        " material: m}}\n"
        "  - {column: {count: 2, name: c, material: m, shape: {box: {size: [1, 1, 1]}}}}\n";
    const cn_override set = {"time.step", "0.5"};
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_model *model = NULL;
        cn_error error = {0};
        cn_status status =
            cn_scene_read_text(&env, "m.yaml", text, sizeof text - 1, &set, 1, &model, &error);
        CN_CHECK_TRUE((status == CN_OK) == (model != NULL));
        cn_model_destroy(model);
        CN_CHECK_TRUE(memory.live == 0);
        if (!memory.failed) {
            CN_CHECK_TRUE(status == CN_OK && k > 10);
            return;
        }
        if (status != CN_ERR_MEMORY) {
            print_error("allocation %lld: status %d, %s\n", (long long)k, (int)status,
                        error.message);
            fail();
        }
    }
}

// ---- the gallery ----

CN_TEST(scenes_of_the_gallery_are_found_by_name) {
    cn_arena *memory = cn_arena_create(NULL);
    const char *path = NULL, *all = NULL;
    cn_error error = {0};
    cn_model *model = NULL;
    CN_CHECK_TRUE(unsetenv("CAIRN_SCENES") == 0);
    CN_CHECK_TRUE(cn_gallery_path(NULL, memory, &all, &error) == CN_OK);
    CN_CHECK_TRUE(cn_gallery_path("newtons-cradle", memory, &path, &error) == CN_OK);
    CN_CHECK_TRUE(strncmp(path, all, strlen(all)) == 0);
    CN_CHECK_TRUE(cn_scene_read(NULL, path, NULL, 0, &model, &error) == CN_OK);
    CN_CHECK_TRUE(strcmp(cn_model_name(model), "newtons-cradle") == 0);
    CN_CHECK_TRUE(cn_gallery_path("newtons-cradel", memory, &path, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(path == NULL && strstr(error.hint, "newtons-cradle"));
    CN_CHECK_TRUE(cn_gallery_path("../scenes/newtons-cradle", memory, &path, &error) ==
                  CN_ERR_INPUT);
    CN_CHECK_TRUE(cn_gallery_path("newtons-cradle", NULL, &path, &error) == CN_ERR_ARGUMENT);
    cn_model_destroy(model);
    open_folder();
    put_file("mine.yaml", "cairn: 1\n");
    CN_CHECK_TRUE(setenv("CAIRN_SCENES", folder, 1) == 0);
    CN_CHECK_TRUE(cn_gallery_path("mine", memory, &path, &error) == CN_OK);
    CN_CHECK_TRUE(strcmp(path, path_of("mine.yaml")) == 0);
    CN_CHECK_TRUE(setenv("CAIRN_SCENES", "/no/such", 1) == 0);
    CN_CHECK_TRUE(cn_gallery_path("mine", memory, &path, &error) == CN_ERR_IO);
    CN_CHECK_TRUE(strstr(error.message, "/no/such") != NULL);
    close_folder();
    cn_arena_destroy(memory);
}
