// Pictures of deformable bodies: polygons of the SVG lie where the run file has the nodes.
#include "cli.h"

#include <cairn/cairn.h>
#include <math.h>

#define ROUND_OFF 0.2 // [px] SVG has one digit after the point, for the polygons and for the scale

#define POLYGON_CORNERS 8
typedef struct polygon {
    double x[POLYGON_CORNERS], y[POLYGON_CORNERS];
    int32_t count;
} polygon;

// A picture's closed polygons without those in shadow, in the order of painting, and its first
// circle.
typedef struct picture {
    polygon *polygons;
    int32_t count;
    double x, y, radius;             // [px] of the circle
    double left, top, right, bottom; // [px] of the panel
} picture;

static double number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    CN_CHECK_TRUE(at);
    return strtod(at + strlen(key), NULL);
}

static picture read_picture(const char *path) {
    picture out = {.polygons = calloc(4096, sizeof(polygon))};
    char *svg = cn_file_text(path), *body = strstr(svg, "<clipPath"), *end;
    const char *circle = body ? strstr(body, "<circle cx=") : NULL;
    CN_CHECK_TRUE(circle && !strstr(svg, "nan") && !strstr(svg, "inf"));
    out.x = number_after(circle, "cx=\"");
    out.y = number_after(circle, "cy=\"");
    out.radius = number_after(circle, " r=\"");
    out.left = number_after(body, " x=\"");
    out.top = number_after(body, " y=\"");
    out.right = out.left + number_after(body, " width=\"");
    out.bottom = out.top + number_after(body, " height=\"");
    for (char *at = body; (at = strstr(at, "<path d=\"M")); at = end) {
        polygon *next = &out.polygons[out.count];
        end = at + 9;
        for (next->count = 0; *end == 'M' || *end == 'L'; next->count++) {
            CN_CHECK_TRUE(next->count < POLYGON_CORNERS && out.count < 4095);
            next->x[next->count] = strtod(end + 1, &end);
            next->y[next->count] = strtod(end, &end);
        }
        out.count += strncmp(end, "Z\" fill=", 8) == 0;
    }
    free(svg);
    return out;
}

// The last frame of a run: mesh of its first deformable body, where nodes are, where bodies are.
typedef struct moment {
    cn_arena *memory;
    cn_run_mesh *mesh;
    double *x, *q, *v;
} moment;

static moment read_moment(const char *path) {
    moment out = {.memory = cn_arena_create(NULL)};
    cn_run *run;
    cn_run_node_state nodes;
    int64_t step;
    int32_t count;
    double t;
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    out.q = calloc((size_t)cn_run_body_count(run), 7 * sizeof(double));
    out.v = calloc((size_t)cn_run_body_count(run), 6 * sizeof(double));
    int64_t last = cn_run_frame_count(run) - 1;
    assert_int_equal(cn_run_meshes(run, out.memory, &out.mesh, &count, NULL), CN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(cn_run_nodes(run, last, out.memory, &nodes, NULL), CN_OK);
    assert_int_equal(cn_run_frame(run, last, &step, &t, out.q, out.v, NULL), CN_OK);
    assert_int_equal(nodes.count, out.mesh->node_count);
    out.x = nodes.x;
    cn_run_close(run);
    return out;
}

static void moment_free(moment *at) {
    cn_arena_destroy(at->memory);
    free(at->q);
    free(at->v);
}

// The disk tells where the world is in the picture.
static const char flat[] =
    "cairn: 1\ndimension: 2\ntime: {step: 5.0e-3, until: 0.2}\n"
    "materials: {soft: {density: 1000, young: 1.0e5, poisson: 0.3}}\nbodies:\n"
    "  - {material: soft, position: [5, 3], deformable: {hold: {group: left}, mesh: {box: {size: "
    "[2, 0.4], cells: [6, 2]}}}}\n"
    "  - {material: soft, fixed: true, position: [4.2, 3.9], shape: {disk: {radius: 0.5}}}\n";

static void place(const picture *seen, const double world[2], double pixel[2]) {
    double scale = seen->radius / 0.5;
    pixel[0] = seen->x + scale * (world[0] - 4.2);
    pixel[1] = seen->y - scale * (world[1] - 3.9);
}

CN_TEST(elements_are_drawn_where_their_nodes_are) {
    cn_cli cli = cn_cli_enter();
    io_file_write("flat.yaml", flat, strlen(flat));
    CN_CLI_EXPECT(&cli, 0, "run flat.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "render flat.run -o end.svg");
    CN_CLI_EXPECT(&cli, 0, "render flat.yaml -o start.svg");
    moment at = read_moment("flat.run");
    picture end = read_picture("end.svg"), start = read_picture("start.svg");
    const cn_run_mesh *mesh = at.mesh;
    assert_int_equal(mesh->element_count, 12);
    // Then the outline: a line for each face.
    assert_int_equal(end.count, mesh->element_count + mesh->face_count);
    assert_int_equal(start.count, end.count);
    double worst = 0.0, bent = 0.0;
    for (int32_t p = 0; p < end.count; p++) {
        bool is_element = p < mesh->element_count;
        int32_t corners = is_element ? mesh->per_element : mesh->per_face;
        const int32_t *node = is_element ? mesh->elements + (int64_t)corners * p
                                         : mesh->faces + (int64_t)corners * (p - 12);
        assert_int_equal(end.polygons[p].count, corners);
        for (int32_t i = 0; i < corners; i++) {
            double now[2], then[2], first[2] = {5.0, 3.0};
            first[0] += mesh->nodes[2 * (int64_t)node[i]];
            first[1] += mesh->nodes[2 * (int64_t)node[i] + 1];
            place(&end, at.x + 2 * (int64_t)node[i], now);
            place(&start, first, then);
            worst =
                fmax(worst, hypot(end.polygons[p].x[i] - now[0], end.polygons[p].y[i] - now[1]));
            worst = fmax(worst,
                         hypot(start.polygons[p].x[i] - then[0], start.polygons[p].y[i] - then[1]));
            place(&end, first, then);
            bent = fmax(bent, hypot(now[0] - then[0], now[1] - then[1]));
            // The picture holds all of the body.
            CN_CHECK_BELOW(end.left, end.polygons[p].x[i]);
            CN_CHECK_BELOW(end.polygons[p].x[i], end.right);
            CN_CHECK_BELOW(end.top, end.polygons[p].y[i]);
            CN_CHECK_BELOW(end.polygons[p].y[i], end.bottom);
        }
    }
    CN_CHECK_BELOW(worst, ROUND_OFF);
    CN_CHECK_BELOW(20.0, bent); // the beam has bent, so that the start would be found out
    free(end.polygons);
    free(start.polygons);
    moment_free(&at);
    cn_cli_leave(&cli);
}

static const char solid[] =
    "cairn: 1\ndimension: 3\ntime: {step: 5.0e-3, until: 0.1}\n"
    "materials: {soft: {density: 1000, young: 1.0e5, poisson: 0.3}}\nbodies:\n"
    "  - {material: soft, position: [0, 0, 1], deformable: {hold: {group: left}, mesh: {box: "
    "{size: "
    "[2, 0.6, 0.4], cells: [4, 3, 2]}}}}\n"
    "  - {material: soft, fixed: true, position: [0, 0, 2], shape: {sphere: {radius: 0.5}}}\n";

// Seen from 0.5 rad to the right of the front and 0.35 rad above it; depth towards the viewer.
static void project(const double world[3], double seen[3]) {
    double c = cos(0.5), s = sin(0.5), ce = cos(0.35), se = sin(0.35);
    seen[0] = c * world[0] + s * world[1];
    seen[1] = -s * se * world[0] + c * se * world[1] + ce * world[2];
    seen[2] = s * ce * world[0] - c * ce * world[1] + se * world[2];
}

// The face whose corners are those of a polygon; -1: none. depth: of its middle.
static int32_t face_find(const picture *seen, const moment *at, const polygon *drawn,
                         double *depth) {
    const double middle[3] = {0.0, 0.0, 2.0};
    double centre[3], scale = seen->radius / 0.5;
    project(middle, centre);
    for (int32_t f = 0; f < at->mesh->face_count; f++) {
        double worst = 0.0;
        *depth = 0.0;
        for (int32_t i = 0; i < drawn->count && i < at->mesh->per_face; i++) {
            double p[3];
            project(at->x + 3 * (int64_t)at->mesh->faces[at->mesh->per_face * f + i], p);
            worst = fmax(worst, hypot(seen->x + scale * (p[0] - centre[0]) - drawn->x[i],
                                      seen->y - scale * (p[1] - centre[1]) - drawn->y[i]));
            *depth += p[2] / drawn->count;
        }
        if (worst < ROUND_OFF) {
            return f;
        }
    }
    return -1;
}

CN_TEST(faces_that_look_here_are_painted_from_the_back_to_the_front) {
    cn_cli cli = cn_cli_enter();
    io_file_write("solid.yaml", solid, strlen(solid));
    CN_CLI_EXPECT(&cli, 0, "run solid.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "render solid.run -o end.svg");
    moment at = read_moment("solid.run");
    picture end = read_picture("end.svg");
    // Front 4 x 2, right 3 x 2, top 4 x 3.
    assert_int_equal(end.count, 8 + 6 + 12);
    double before = -HUGE_VAL, depth = 0.0;
    for (int32_t p = 0; p < end.count; p++) {
        assert_int_equal(end.polygons[p].count, 4);
        CN_CHECK_TRUE(face_find(&end, &at, &end.polygons[p], &depth) >= 0);
        CN_CHECK_BELOW(before - 1e-12, depth);
        before = depth;
    }
    free(end.polygons);
    moment_free(&at);
    cn_cli_leave(&cli);
}

// The page does not show deformable bodies: a PNG is the plain drawing, and that is told.
CN_TEST(a_png_of_deformable_bodies_is_never_empty) {
    cn_cli cli = cn_cli_enter();
    io_file_write("flat.yaml", flat, strlen(flat));
    CN_CLI_EXPECT(&cli, 0, "run flat.yaml -q --until 0.02");
    int code = cn_cli_run(&cli, "render flat.run -o a.png");
    CN_CHECK_HOLDS(cli.err, "not drawn by the page but plainly");
    CN_CHECK_TRUE(code == 0 || strstr(cli.err, "librsvg2-bin"));
    cn_cli_leave(&cli);
}
