// bench/peers/peer_scene.c
// Reading a scene for peers, and the loop that steps an engine; see peer_scene.h.
#include "peer_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PEER_CONTACTS 200000 // of a step that are reported at most

double peer_scene_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *peer_scene_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("peer: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// ---- reading ----

typedef struct peer_reader {
    FILE *file;
    const char *path;
} peer_reader;

static _Noreturn void peer_fail(const peer_reader *reader, const char *what) {
    fprintf(stderr, "peer: %s: %s is missing or wrong\n", reader->path, what);
    exit(4);
}

static double peer_real(peer_reader *reader, const char *what) {
    double value;
    if (fscanf(reader->file, "%lf", &value) != 1 || !isfinite(value)) {
        peer_fail(reader, what);
    }
    return value;
}

static void peer_reals(peer_reader *reader, const char *what, double *values, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        values[i] = peer_real(reader, what);
    }
}

static int32_t peer_count(peer_reader *reader, const char *what) {
    double value = peer_real(reader, what);
    if (!(value >= 0.0 && value <= 1e8)) {
        peer_fail(reader, what);
    }
    return (int32_t)value;
}

static void peer_word(peer_reader *reader, char word[16]) {
    if (fscanf(reader->file, "%15s", word) != 1) {
        peer_fail(reader, "a word");
    }
}

static void peer_expect(peer_reader *reader, const char *what) {
    char word[16];
    peer_word(reader, word);
    if (strcmp(word, what) != 0) {
        peer_fail(reader, what);
    }
}

static void peer_read_hull(peer_reader *reader, peer_shape *shape) {
    shape->vertex_count = peer_count(reader, "the vertices of a hull");
    shape->face_count = peer_count(reader, "the faces of a hull");
    shape->face_words = peer_count(reader, "the size of the faces of a hull");
    shape->vertices = peer_scene_allocate(3 * (size_t)shape->vertex_count, sizeof(double));
    shape->faces = peer_scene_allocate((size_t)shape->face_words, sizeof *shape->faces);
    peer_reals(reader, "a vertex", shape->vertices, 3 * shape->vertex_count);
    for (int32_t i = 0; i < shape->face_words; i++) {
        shape->faces[i] = peer_count(reader, "a face");
    }
}

static void peer_read_shape(peer_reader *reader, peer_shape *shape) {
    char word[16];
    peer_word(reader, word);
    if (strcmp(word, "sphere") == 0) {
        shape->kind = PEER_SPHERE;
        shape->radius = peer_real(reader, "a radius");
    } else if (strcmp(word, "box") == 0) {
        shape->kind = PEER_BOX;
        peer_reals(reader, "the size of a box", shape->size, 3);
    } else if (strcmp(word, "plane") == 0) {
        shape->kind = PEER_PLANE;
        peer_reals(reader, "the normal of a plane", shape->normal, 3);
        shape->offset = peer_real(reader, "the offset of a plane");
    } else if (strcmp(word, "hull") == 0) {
        shape->kind = PEER_HULL;
        peer_read_hull(reader, shape);
    } else {
        peer_fail(reader, "a shape");
    }
}

static void peer_read_body(peer_reader *reader, peer_body *body) {
    static const char *const roles[] = {"free", "fixed", "driven"};
    char word[16];
    peer_expect(reader, "body");
    peer_word(reader, word);
    int32_t role = 0;
    while (role < 3 && strcmp(word, roles[role]) != 0) {
        role++;
    }
    if (role == 3) {
        peer_fail(reader, "the role of a body");
    }
    body->role = (peer_role)role;
    body->mass = peer_real(reader, "a mass");
    peer_reals(reader, "an inertia", body->inertia, 3);
    peer_reals(reader, "a pose", body->pose, 7);
    peer_reals(reader, "a velocity", body->velocity, 6);
    body->shape_count = peer_count(reader, "the shapes of a body");
    body->shapes = peer_scene_allocate((size_t)body->shape_count, sizeof *body->shapes);
    for (int32_t i = 0; i < body->shape_count; i++) {
        peer_read_shape(reader, &body->shapes[i]);
    }
}

peer_scene *peer_scene_read(const char *path) {
    peer_reader reader = {fopen(path, "r"), path};
    if (!reader.file) {
        peer_fail(&reader, "the file");
    }
    peer_scene *scene = peer_scene_allocate(1, sizeof *scene);
    peer_expect(&reader, "cairn-peer");
    peer_count(&reader, "the version");
    peer_expect(&reader, "step");
    scene->step = peer_real(&reader, "the step");
    scene->steps = peer_count(&reader, "the number of steps");
    scene->every = peer_count(&reader, "the steps between states");
    peer_expect(&reader, "limit");
    scene->limit = peer_real(&reader, "the limit");
    peer_expect(&reader, "gravity");
    peer_reals(&reader, "gravity", scene->gravity, 3);
    peer_expect(&reader, "friction");
    scene->friction = peer_real(&reader, "friction");
    peer_expect(&reader, "bodies");
    scene->body_count = peer_count(&reader, "the number of bodies");
    scene->bodies = peer_scene_allocate((size_t)scene->body_count, sizeof *scene->bodies);
    for (int32_t i = 0; i < scene->body_count; i++) {
        peer_read_body(&reader, &scene->bodies[i]);
    }
    peer_expect(&reader, "motions");
    scene->motion_count = peer_count(&reader, "the number of motions");
    scene->motions = peer_scene_allocate((size_t)scene->motion_count, sizeof *scene->motions);
    for (int32_t i = 0; i < scene->motion_count; i++) {
        scene->motions[i].body = peer_count(&reader, "a driven body");
        scene->motions[i].t = peer_real(&reader, "the time of a motion");
        peer_reals(&reader, "the velocity of a motion", scene->motions[i].velocity, 3);
    }
    fclose(reader.file);
    return scene;
}

void peer_driven_velocity(const peer_scene *scene, int32_t body, double t, double v[3]) {
    v[0] = v[1] = v[2] = 0.0;
    for (int32_t i = 0; i < scene->motion_count; i++) {
        const peer_motion *motion = &scene->motions[i];
        if (motion->body == body && motion->t <= t + 1e-9) {
            memcpy(v, motion->velocity, sizeof motion->velocity);
        }
    }
}

// ---- stepping ----

static void peer_states(const peer_scene *scene, const peer_engine *engine, double *states) {
    for (int32_t i = 0; i < scene->body_count; i++) {
        engine->state(engine->world, i, states + 13 * (size_t)i, states + 13 * (size_t)i + 7);
    }
}

typedef struct peer_output {
    FILE *file;
    double *before, *after;
    peer_contact *contacts;
    double contact_sum;
    int32_t frames;
} peer_output;

static void peer_frame(const peer_scene *scene, const peer_engine *engine, double t,
                       peer_output *out) {
    size_t states = 13 * (size_t)scene->body_count;
    int32_t count =
        engine->contacts ? engine->contacts(engine->world, out->contacts, PEER_CONTACTS) : 0;
    double head[2] = {t, count};
    peer_states(scene, engine, out->after);
    fwrite(head, sizeof *head, 2, out->file);
    fwrite(out->before, sizeof *out->before, states, out->file);
    fwrite(out->after, sizeof *out->after, states, out->file);
    fwrite(out->contacts, sizeof *out->contacts, (size_t)count, out->file);
    out->contact_sum += count;
    out->frames++;
}

int peer_scene_run(const peer_scene *scene, const peer_engine *engine, const char *path) {
    size_t states = 13 * (size_t)scene->body_count;
    peer_output out = {.file = fopen(path, "wb"),
                       .before = peer_scene_allocate(states, sizeof(double)),
                       .after = peer_scene_allocate(states, sizeof(double)),
                       .contacts = peer_scene_allocate(PEER_CONTACTS, sizeof(peer_contact))};
    if (!out.file) {
        fprintf(stderr, "peer: cannot write %s\n", path);
        return 1;
    }
    double cpu_s = 0.0;
    int32_t step = 0;
    while (step < scene->steps && cpu_s < scene->limit) {
        bool reported = (step + 1) % scene->every == 0 || step + 1 == scene->steps;
        if (reported) {
            peer_states(scene, engine, out.before);
        }
        double start = peer_scene_clock();
        engine->step(engine->world, step * scene->step);
        cpu_s += peer_scene_clock() - start;
        step++;
        if (reported) {
            peer_frame(scene, engine, step * scene->step, &out);
        }
    }
    bool written = fclose(out.file) == 0;
    printf("{\"peer\":\"%s\",\"setting\":\"%s\",\"cpu_s\":%.9f,\"steps\":%d,\"frames\":%d,"
           "\"contacts\":%.1f}\n",
           engine->name, engine->setting, cpu_s, step, out.frames,
           out.frames ? out.contact_sum / out.frames : 0.0);
    free(out.before);
    free(out.after);
    free(out.contacts);
    return written ? 0 : 1;
}
