// Exports of runs for other programs, read back here: sizes and offsets fit, the numbers are those
// of the run file.
#include "cli.h"

#include <cairn/cairn.h>
#include <zlib.h>

typedef struct blob {
    unsigned char *data;
    size_t size;
} blob;

static blob read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_error("%s: cannot be read\n", path);
        fail();
        return (blob){0};
    }
    fseek(file, 0, SEEK_END);
    blob out = {.size = (size_t)ftell(file)};
    rewind(file);
    out.data = calloc(out.size + 1, 1);
    assert_int_equal(fread(out.data, 1, out.size, file), out.size);
    fclose(file);
    return out;
}

static int letter(char c) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

// Up to the first character that is not base64.
static blob decode(const char *text) {
    blob out = {.data = calloc(strlen(text) + 4, 1)};
    uint32_t bits = 0;
    int held = 0;
    for (; letter(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)letter(*text);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out.data[out.size++] = (unsigned char)(bits >> held);
        }
    }
    return out;
}

static uint32_t u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double f32(const unsigned char *at) {
    uint32_t bits = u32(at);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

// ---- ParaView ----

// Tags open and close in order, attributes are quoted. Fails otherwise.
static void check_xml(const char *text) {
    char open[16][32];
    int depth = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        int quotes = 0;
        assert_non_null(end);
        for (const char *c = at; c < end; c++) {
            quotes += *c == '"';
        }
        assert_int_equal(quotes % 2, 0);
        char name[32];
        CN_CHECK_TRUE(sscanf(at + 1 + (at[1] == '/'), "%31[A-Za-z?]", name) == 1);
        if (at[1] == '?') {
            continue;
        }
        if (at[1] == '/') {
            CN_CHECK_TRUE(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            CN_CHECK_TRUE(depth < 16);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

// The data of a named array; its length is what it says.
static blob xml_array(const char *text, const char *name) {
    char mark[64];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char *at = strstr(text, mark);
    if (!at) {
        print_error("there is no array %s\n", name);
        fail();
        return (blob){0};
    }
    blob all = decode(strchr(at, '>') + 1);
    CN_CHECK_TRUE(all.size >= 8);
    assert_int_equal(u32(all.data) + 8, all.size);
    memmove(all.data, all.data + 8, all.size - 8);
    all.size -= 8;
    return all;
}

static long xml_number(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtol(at + strlen(name) + 2, NULL, 10) : -1;
}

// Corners name points that are there, offsets ascend to their end.
static void check_cells(const char *text, long points, long cells) {
    blob corners = xml_array(text, "connectivity"), ends = xml_array(text, "offsets");
    uint32_t last = 0;
    assert_int_equal(ends.size, 4 * cells);
    for (size_t i = 0; i < corners.size; i += 4) {
        CN_CHECK_TRUE(u32(corners.data + i) < (uint32_t)points);
    }
    for (size_t i = 0; i < ends.size; i += 4) {
        CN_CHECK_TRUE(u32(ends.data + i) > last);
        last = u32(ends.data + i);
    }
    assert_int_equal(4 * (size_t)last, corners.size);
    free(corners.data);
    free(ends.data);
}

static void check_vtp(const char *path, const char *const *vectors, const char *const *scalars) {
    char *text = cn_file_text(path);
    check_xml(text);
    long points = xml_number(text, "NumberOfPoints"), verts = xml_number(text, "NumberOfVerts"),
         polys = xml_number(text, "NumberOfPolys");
    long fields = verts > 0 || polys == 0 ? points : polys;
    blob places = xml_array(text, "Points");
    assert_int_equal(places.size, 12 * points);
    free(places.data);
    check_cells(text, points, verts + polys);
    for (int i = 0; vectors[i]; i++) {
        blob data = xml_array(text, vectors[i]);
        assert_int_equal(data.size, 12 * fields);
        free(data.data);
    }
    for (int i = 0; scalars[i]; i++) {
        blob data = xml_array(text, scalars[i]);
        assert_int_equal(data.size, 4 * fields);
        free(data.data);
    }
    free(text);
}

static void check_pvd(const char *scene) {
    cn_cli cli = cn_cli_enter();
    char line[128];
    snprintf(line, sizeof line, "run %s --until=0.06 --frames-every=0.02 -o a.run --quiet", scene);
    int code = cn_cli_run(&cli, line);
    CN_CHECK_TRUE(code == 0 || code == 3);
    CN_CLI_EXPECT(&cli, 0, "export a.run --to pvd");
    char *list = cn_file_text("a-pvd/a.pvd");
    int sets = 0;
    check_xml(list);
    for (const char *at = strstr(list, "file=\""); at; at = strstr(at + 1, "file=\"")) {
        char path[96], name[64];
        CN_CHECK_TRUE(sscanf(at, "file=\"%63[^\"]\"", name) == 1);
        snprintf(path, sizeof path, "a-pvd/%s", name);
        if (strncmp(name, "bodies", 6) == 0) {
            check_vtp(path, (const char *const[]){"velocity", "angular_velocity", NULL},
                      (const char *const[]){"body", "contacts", "mass", NULL});
        } else {
            check_vtp(path, (const char *const[]){"normal", "force", "velocity", NULL},
                      (const char *const[]){"gap", "friction", "status", "candidate", "antagonist",
                                            NULL});
        }
        sets++;
    }
    assert_int_equal(sets, 8); // 4 frames
    free(list);
    cn_cli_leave(&cli);
}

CN_TEST(pvd_fits_together_in_3d) {
    check_pvd("shapes-3d");
}

CN_TEST(pvd_fits_together_in_2d) {
    check_pvd("shapes-2d");
}

// A block turned by 0.5 under a pressure p: stress -p n n' in the plane, n = (-sin, cos), and
// zz = -nu p; every number of the mesh is that of closed forms.
CN_TEST(pvd_has_the_stress_of_deformable_bodies) {
    static const char scene[] =
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1}\n"
        "integrator: {theta: 1}\n"
        "materials: {m: {density: 1, young: 1e6, poisson: 0.25}}\nbodies:\n"
        "  - {material: m, fixed: true, position: [9, 9], shape: {disk: {radius: 0.1}}}\n"
        "  - {material: m, position: [3, 4], angle: 0.5, deformable: {quasi_static: true,\n"
        "     mesh: {box: {size: [2, 1], cells: [4, 3]}}, pressure: {group: top, value: 1000},\n"
        "     hold: [{group: bottom, axes: [y]}, {group: left, axes: [x]}]}}\n";
    const double p = 1e3, nu = 0.25, young = 1e6, s = sin(0.5), c = cos(0.5);
    const double expected[6] = {-p * s * s, -p * c * c, -nu * p, p * s * c, 0.0, 0.0};
    const double principal[3] = {0.0, -nu * p, -p};
    cn_cli cli = cn_cli_enter();
    io_file_write("block.yaml", scene, strlen(scene));
    CN_CLI_EXPECT(&cli, 0, "run block.yaml --until=10 --frames-every=10 -o a.run --quiet");
    CN_CLI_EXPECT(&cli, 0, "export a.run --to pvd");
    char *list = cn_file_text("a-pvd/a.pvd"), *text = cn_file_text("a-pvd/deformable-000010.vtu");
    CN_CHECK_HOLDS(list, "file=\"deformable-000000.vtu\"");
    CN_CHECK_HOLDS(list, "file=\"deformable-000010.vtu\"");
    check_xml(text);
    assert_int_equal(xml_number(text, "NumberOfPoints"), 20);
    assert_int_equal(xml_number(text, "NumberOfCells"), 12);
    check_cells(text, 20, 12);
    blob types = xml_array(text, "types"), bodies = xml_array(text, "body"),
         stress = xml_array(text, "stress"), values = xml_array(text, "principal"),
         mises = xml_array(text, "mises"), places = xml_array(text, "Points"),
         moved = xml_array(text, "displacement"), speeds = xml_array(text, "velocity");
    assert_int_equal(types.size, 12);
    assert_int_equal(stress.size, 12 * 6 * 4);
    assert_int_equal(moved.size, 20 * 12);
    assert_int_equal(speeds.size, 20 * 12);
    for (int e = 0; e < 12; e++) {
        assert_int_equal(types.data[e], 9);
        assert_int_equal(u32(bodies.data + 4 * e), 2);
        for (int k = 0; k < 6; k++) {
            CN_CHECK_NEAR(f32(stress.data + 4 * (6 * e + k)), expected[k], 1e-6 * p);
        }
        for (int k = 0; k < 3; k++) {
            CN_CHECK_NEAR(f32(values.data + 4 * (3 * e + k)), principal[k], 1e-6 * p);
        }
        CN_CHECK_NEAR(f32(mises.data + 4 * e), p * sqrt(1.0 - nu + nu * nu), 1e-6 * p);
    }
    for (int n = 0; n < 20; n++) {
        double x[2], u[2];
        for (int k = 0; k < 2; k++) {
            u[k] = f32(moved.data + 4 * (3 * n + k));
            x[k] = f32(places.data + 4 * (3 * n + k)) - u[k] - 3.0 - k;
            CN_CHECK_NEAR(f32(speeds.data + 4 * (3 * n + k)), 0.0, 1e-9);
        }
        double X = c * x[0] + s * x[1] + 1.0, Y = -s * x[0] + c * x[1] + 0.5;
        CN_CHECK_NEAR(c * u[0] + s * u[1], X * nu * (1.0 + nu) * p / young, 1e-9);
        CN_CHECK_NEAR(-s * u[0] + c * u[1], -Y * (1.0 - nu * nu) * p / young, 1e-9);
    }
    blob *const all[] = {&types, &bodies, &stress, &values, &mises, &places, &moved, &speeds};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]->data);
    }
    free(text);
    free(list);
    cn_cli_leave(&cli);
}

// ---- glTF ----

static const cJSON *item(const cJSON *json, const char *key) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!found) {
        print_error("there is no %s\n", key);
        fail();
    }
    return found;
}

// Every accessor lies within its view, and the view within the binary part.
static void check_accessors(const cJSON *json, size_t bytes) {
    const cJSON *accessor, *views = item(json, "bufferViews");
    cJSON_ArrayForEach(accessor, item(json, "accessors")) {
        const char *type = cn_json_string(accessor, "type");
        size_t parts = strcmp(type, "SCALAR") == 0 ? 1 : (size_t)(type[3] - '0');
        const cJSON *view = cJSON_GetArrayItem(views, (int)io_json_number(accessor, "bufferView"));
        size_t offset = (size_t)io_json_number(view, "byteOffset"),
               length = (size_t)io_json_number(view, "byteLength");
        assert_int_equal(4 * parts * (size_t)io_json_number(accessor, "count"), length);
        CN_CHECK_TRUE(offset % 4 == 0 && offset + length <= bytes);
    }
}

static size_t accessor_at(const cJSON *json, int index) {
    const cJSON *view = cJSON_GetArrayItem(item(json, "bufferViews"), index);
    return (size_t)io_json_number(view, "byteOffset");
}

CN_TEST(gltf_moves_as_the_run_does) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run dominoes --until=0.2 --frames-every=0.02 -o a.run --quiet");
    CN_CLI_EXPECT(&cli, 0, "export a.run --to gltf -o a.glb");
    blob file = read_file("a.glb");
    assert_memory_equal(file.data, "glTF", 4);
    assert_int_equal(u32(file.data + 4), 2);
    assert_int_equal(u32(file.data + 8), file.size);
    size_t text = u32(file.data + 12);
    assert_memory_equal(file.data + 16, "JSON", 4);
    cJSON *json = cJSON_ParseWithLength((const char *)file.data + 20, text);
    assert_non_null(json);
    size_t bytes = u32(file.data + 20 + text);
    assert_memory_equal(file.data + 24 + text, "BIN\0", 4);
    assert_int_equal(28 + text + bytes, file.size);
    const unsigned char *data = file.data + 28 + text;
    check_accessors(json, bytes);

    // Indices name corners that are there; normals have length 1.
    const cJSON *mesh;
    cJSON_ArrayForEach(mesh, item(json, "meshes")) {
        const cJSON *part = cJSON_GetArrayItem(item(mesh, "primitives"), 0);
        int place = (int)io_json_number(item(part, "attributes"), "POSITION");
        const cJSON *places = cJSON_GetArrayItem(item(json, "accessors"), place);
        const cJSON *indices = cJSON_GetArrayItem(item(json, "accessors"), place + 2);
        size_t corners = (size_t)io_json_number(places, "count");
        for (size_t i = 0; i < (size_t)io_json_number(indices, "count"); i++) {
            CN_CHECK_TRUE(u32(data + accessor_at(json, place + 2) + 4 * i) < corners);
        }
        for (size_t i = 0; i < corners; i++) {
            const unsigned char *n = data + accessor_at(json, place + 1) + 12 * i;
            CN_CHECK_NEAR(hypot(hypot(f32(n), f32(n + 4)), f32(n + 8)), 1.0, 1e-6);
        }
    }

    // A body's keys are its poses.
    cn_run *run;
    cn_error error = {0};
    assert_int_equal(cn_run_open(NULL, "a.run", &run, &error), CN_OK);
    int64_t bodies = cn_run_body_count(run), step;
    double *q = calloc((size_t)bodies * 13, sizeof *q), t;
    assert_int_equal(cn_run_frame(run, 7, &step, &t, q, q + 7 * bodies, &error), CN_OK);
    const cJSON *animation = cJSON_GetArrayItem(item(json, "animations"), 0), *channel;
    int checked = 0;
    cJSON_ArrayForEach(channel, item(animation, "channels")) {
        const cJSON *target = item(channel, "target");
        int node = (int)io_json_number(target, "node");
        const cJSON *sampler = cJSON_GetArrayItem(item(animation, "samplers"),
                                                  (int)io_json_number(channel, "sampler"));
        size_t at = accessor_at(json, (int)io_json_number(sampler, "output"));
        if (strcmp(cn_json_string(target, "path"), "translation") == 0) {
            for (size_t k = 0; k < 3; k++) {
                CN_CHECK_NEAR(f32(data + at + 12 * 7 + 4 * k),
                              (double)(float)q[7 * (node - 1) + (int)k], 0.0);
            }
            checked++;
        }
    }
    CN_CHECK_TRUE(checked > 0);
    free(q);
    cn_run_close(run);
    cJSON_Delete(json);
    free(file.data);
    cn_cli_leave(&cli);
}

// ---- HTML ----

// The data of an element, inflated; ends with a zero.
static blob element(const char *html, const char *id) {
    char mark[64];
    snprintf(mark, sizeof mark, "id=\"%s\">", id);
    const char *at = strstr(html, mark);
    if (!at) {
        print_error("there is no element %s\n", id);
        fail();
        return (blob){0};
    }
    blob packed = decode(at + strlen(mark)), out = {.data = calloc(1 << 24, 1)};
    z_stream stream = {.next_in = packed.data,
                       .avail_in = (uInt)packed.size,
                       .next_out = out.data,
                       .avail_out = (1 << 24) - 1};
    assert_int_equal(inflateInit2(&stream, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.size = stream.total_out;
    inflateEnd(&stream);
    free(packed.data);
    return out;
}

CN_TEST(html_holds_the_whole_run) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run dominoes --until=0.2 --frames-every=0.02 -o a.run --quiet");
    int code = cn_cli_run(&cli, "export a.run --to html");
    if (code == 1 && strstr(cli.err, "was built without")) {
        CN_SKIP("this build has no page");
    }
    assert_int_equal(code, 0);
    char *html = cn_file_text("a.html");
    CN_CHECK_TRUE(!strstr(html, "<!--cairn:data-->"));
    blob head = element(html, "cairn-head"), ledger = element(html, "cairn-ledger");
    cJSON *json = cJSON_Parse((const char *)head.data);
    assert_non_null(json);
    assert_string_equal(cn_json_string(item(json, "hello"), "mode"), "file");
    // Index and ledger, one after the other.
    assert_int_equal(u32(ledger.data + 24), 11);
    size_t second = 32 + u32(ledger.data + 28);
    assert_memory_equal(ledger.data + second, "CRN1", 4);
    assert_int_equal(u32(ledger.data + second + 24), 100);
    assert_int_equal(second + 32 + u32(ledger.data + second + 28), ledger.size);
    // Blocks of frames, each followed by its contacts.
    int frames = 0, number = 0;
    const cJSON *range;
    cJSON_ArrayForEach(range, item(json, "blocks")) {
        char id[32];
        snprintf(id, sizeof id, "cairn-frames-%d", number++);
        blob block = element(html, id);
        assert_int_equal((int)io_json_number(range, "first"), frames);
        int count = 0;
        for (size_t at = 0; at < block.size; at += 32 + u32(block.data + at + 28)) {
            assert_memory_equal(block.data + at, "CRN1", 4);
            assert_int_equal(block.data[at + 4], count % 2 ? 2 : 1);
            count++;
        }
        assert_int_equal(count, 2 * (int)io_json_number(range, "count"));
        frames += count / 2;
        free(block.data);
    }
    assert_int_equal(frames, 11);
    cJSON_Delete(json);
    free(head.data);
    free(ledger.data);
    free(html);
    cn_cli_leave(&cli);
}

// glTF cannot hold bodies whose shape changes, which is said; the page has their nodes in each frame.
CN_TEST(deformable_bodies_are_in_the_page_and_refused_by_gltf) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run elastic-disk-drop --until=0.002 -o a.run --quiet");
    CN_CLI_EXPECT(&cli, 4, "export a.run --to gltf");
    CN_CHECK_HOLDS(cli.err, ") is deformable, one of 3; the glTF files have rigid bodies only");
    CN_CHECK_HOLDS(cli.err, "--to pvd writes the deformed meshes");
    CN_CHECK_TRUE(access("a.glb", F_OK) != 0);
    int code = cn_cli_run(&cli, "export a.run --to html");
    if (code == 1 && strstr(cli.err, "was built without")) {
        CN_SKIP("this build has no page");
    }
    assert_int_equal(code, 0);
    char *html = cn_file_text("a.html");
    blob head = element(html, "cairn-head"), block = element(html, "cairn-frames-0");
    cJSON *json = cJSON_Parse((const char *)head.data);
    assert_non_null(json);
    assert_int_equal(cJSON_GetArraySize(item(item(json, "bodies"), "deformable")), 3);
    CN_CHECK_TRUE((block.data[6] & 64) != 0); // the flag of nodes and stresses
    cJSON_Delete(json);
    free(head.data);
    free(block.data);
    free(html);
    cn_cli_leave(&cli);
}

// ---- problem files ----

// A bar on a hinge that rests on a plane: the file has the contacts alone, whose recorded answer is
// that of the whole problem, and which solvers without joints solve.
CN_TEST(problems_with_joints_are_exported_without_them) {
    static const char scene[] =
        "cairn: 1\ndimension: 2\ntime: {step: 0.01}\nsolver: {tolerance: 1e-10}\n"
        "materials: {m: {density: 1000}}\n"
        "contacts: [{between: [m, m], friction: 0.5}]\nbodies:\n"
        "  - {name: floor, fixed: true, material: m, shape: {line: {normal: [0, 1]}}}\n"
        "  - {name: post, fixed: true, material: m}\n"
        "  - {name: bar, material: m, position: [0, 0.1], shape: {box: {size: [1, 0.2]}}}\n"
        "joints: [{kind: hinge, bodies: [post, bar], point: [-0.5, 0.3]}]\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("bar.yaml", scene, strlen(scene));
    CN_CLI_EXPECT(&cli, 0, "run bar.yaml --until=0.1 -o a.run --quiet");
    CN_CLI_EXPECT(&cli, 0, "export a.run --to fclib --steps 5:5 -o out --quiet");
    cn_problem *problem;
    cn_error error = {0};
    if (cn_problem_read(NULL, "out/a-000005.hdf5", &problem, &error) != CN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    cn_grade grade;
    assert_int_equal(problem->friction.contacts, 2);
    assert_int_equal(
        cn_friction_grade(&problem->friction, problem->r, problem->u, problem->memory, &grade),
        CN_OK);
    CN_CHECK_BELOW(grade.residual, 1e-8);
    CN_CHECK_BELOW(grade.velocity_mismatch, 1e-6);
    cn_problem_destroy(problem);
    CN_CLI_EXPECT(&cli, 0, "solve out/a-000005.hdf5 --solver=cpg --tol=1e-8");
    cn_cli_leave(&cli);
}

// ---- what cannot be exported ----

CN_TEST(bad_input_is_refused) {
    static const char *const formats[] = {"html", "pvd", "gltf", "csv"};
    cn_cli cli = cn_cli_enter();
    io_file_write("bad.run", "not a run file", 14);
    CN_CLI_EXPECT(&cli, 0, "run dominoes --until=0.02 -o good.run --quiet");
    blob good = read_file("good.run");
    io_file_write("cut.run", (const char *)good.data, good.size / 2);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "export bad.run --to %s", formats[i]);
        CN_CLI_EXPECT(&cli, 4, line);
        snprintf(line, sizeof line, "export absent.run --to %s", formats[i]);
        CN_CLI_EXPECT(&cli, 4, line);
        snprintf(line, sizeof line, "export cut.run --to %s", formats[i]);
        CN_CLI_EXPECT(&cli, 4, line);
        CN_CHECK_HOLDS(cli.err, "cut.run");
    }
    CN_CLI_EXPECT(&cli, 1, "export good.run --to gltf -o no/such/folder.glb");
    CN_CLI_EXPECT(&cli, 2, "export good.run --to vtk");
    free(good.data);
    cn_cli_leave(&cli);
}

// Without a browser the picture is drawn plainly and that is told; without any program it is not
// drawn, and what to install is.
CN_TEST(png_pictures_tell_what_they_need) {
    cn_cli cli = cn_cli_enter();
    char *path = strdup(getenv("PATH"));
    CN_CLI_EXPECT(&cli, 0, "run bouncing-ball --until=0.02 -o a.run --quiet");
    setenv("PATH", "/nowhere", 1);
    CN_CLI_EXPECT(&cli, 1, "render a.run -o a.png");
    CN_CHECK_HOLDS(cli.err, "not drawn by the page but plainly");
    CN_CHECK_HOLDS(cli.err, "librsvg2-bin");
    CN_CLI_EXPECT(&cli, 1, "render a.run -o a.png --ui");
    CN_CHECK_HOLDS(cli.err, "--ui needs the page");
    CN_CLI_EXPECT(&cli, 0, "render a.run -o a.svg");
    setenv("PATH", path, 1);
    CN_CLI_EXPECT(&cli, 2, "render a.run -o a.png --theme=pink");
    CN_CLI_EXPECT(&cli, 2, "render a.run -o a.png --size=12");
    free(path);
    cn_cli_leave(&cli);
}
