// app/export/pvd.c
// A run for ParaView: a .pvd file that names, for each frame, a .vtp file with the bodies' surfaces
// and their fields and one with the contacts as points with vectors, and a .vtu file with the meshes
// of deformable bodies where there are any. VTK's XML, arrays in base64 without compression, each
// behind its length (64 bits); no library is needed.
#include "export/export.h"

#include "draw/mesh.h"
#include "support/bytes.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/replay.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct pvd_writer {
    const export_job *job;
    replay_file replay;
    surface_mesh *meshes; // of the bodies
    int64_t points, faces, loops;
    cn_arena *memory;  // of soft
    cn_run_mesh *soft; // of the deformable bodies
    int32_t soft_count;
    byte_buffer text; // the file being made
} pvd_writer;

static void pvd_put(pvd_writer *pvd, const char *format, ...) CN_PRINTF(2, 3);
static void pvd_put(pvd_writer *pvd, const char *format, ...) {
    char piece[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    bytes_put(&pvd->text, piece, length > 0 ? (size_t)length : 0);
}

// An array of the kinds that are used here. data is emptied.
static void pvd_array(pvd_writer *pvd, const char *type, const char *name, int32_t components,
                      byte_buffer *data) {
    byte_buffer whole = {0};
    bytes_u32(&whole, (uint32_t)data->size);
    bytes_u32(&whole, (uint32_t)((uint64_t)data->size >> 32));
    bytes_put(&whole, data->data, data->size);
    pvd_put(pvd,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
            "format=\"binary\">",
            type, name, (int)components);
    bytes_base64(&pvd->text, whole.data, whole.size);
    pvd_put(pvd, "</DataArray>\n");
    bytes_free(&whole);
    data->size = 0;
}

static void pvd_begin(pvd_writer *pvd, const char *kind, const char *counts) {
    pvd->text.size = 0;
    pvd_put(pvd,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<%s>\n<Piece %s>\n",
            kind, kind, counts);
}

static void pvd_begin_surface(pvd_writer *pvd, int64_t points, int64_t verts, int64_t polys) {
    char *counts = format_text("NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" "
                               "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\"",
                               (long long)points, (long long)verts, (long long)polys);
    pvd_begin(pvd, "PolyData", counts);
    free(counts);
}

// The file NAME-STEP.ENDING.
static int pvd_end(pvd_writer *pvd, const char *kind, const char *file, const char *ending,
                   int64_t step) {
    pvd_put(pvd, "</Piece>\n</%s>\n</VTKFile>\n", kind);
    char *name = format_text("%s-%06lld.%s", file, (long long)step, ending);
    output_file out;
    int code = EXIT_FAILED;
    if (output_open_in(&out, pvd->job->folder, name)) {
        fwrite(pvd->text.data, 1, pvd->text.size, out.file);
        code = output_close(&out);
    }
    free(name);
    return code;
}

// ---- bodies ----

// A point of a body's own frame in the world.
static void pvd_place(int32_t dim, const double *pose, const double *own, double out[3]) {
    if (dim == 2) {
        double c = cos(pose[2]), s = sin(pose[2]);
        out[0] = pose[0] + c * own[0] - s * own[1];
        out[1] = pose[1] + s * own[0] + c * own[1];
        out[2] = 0.0;
        return;
    }
    // x + 2 w (e x own) + 2 e x (e x own) for the quaternion (w, e).
    const double *e = pose + 4;
    double w = pose[3], a[3] = {e[1] * own[2] - e[2] * own[1], e[2] * own[0] - e[0] * own[2],
                                e[0] * own[1] - e[1] * own[0]};
    double b[3] = {e[1] * a[2] - e[2] * a[1], e[2] * a[0] - e[0] * a[2], e[0] * a[1] - e[1] * a[0]};
    for (int32_t k = 0; k < 3; k++) {
        out[k] = pose[k] + own[k] + 2.0 * (w * a[k] + b[k]);
    }
}

static void pvd_points(pvd_writer *pvd) {
    byte_buffer data = {0};
    int32_t pose = pvd->replay.dim == 3 ? 7 : 3;
    for (int64_t i = 0; i < pvd->replay.bodies; i++) {
        for (int64_t k = 0; k < pvd->meshes[i].point_count; k++) {
            double x[3];
            pvd_place(pvd->replay.dim, pvd->replay.q + pose * i, pvd->meshes[i].points + 3 * k, x);
            for (int32_t c = 0; c < 3; c++) {
                bytes_f32(&data, x[c]);
            }
        }
    }
    pvd_put(pvd, "<Points>\n");
    pvd_array(pvd, "Float32", "Points", 3, &data);
    pvd_put(pvd, "</Points>\n");
    bytes_free(&data);
}

static void pvd_polys(pvd_writer *pvd) {
    byte_buffer corners = {0}, ends = {0};
    int64_t point = 0, loop = 0;
    for (int64_t i = 0; i < pvd->replay.bodies; i++) {
        const surface_mesh *mesh = &pvd->meshes[i];
        for (int32_t k = 0; k < mesh->loop_count; k++) {
            bytes_u32(&corners, (uint32_t)(point + mesh->loop[k]));
        }
        for (int32_t f = 1; f <= mesh->face_count; f++) {
            bytes_u32(&ends, (uint32_t)(loop + mesh->face[f]));
        }
        point += mesh->point_count;
        loop += mesh->loop_count;
    }
    pvd_put(pvd, "<Polys>\n");
    pvd_array(pvd, "Int32", "connectivity", 1, &corners);
    pvd_array(pvd, "Int32", "offsets", 1, &ends);
    pvd_put(pvd, "</Polys>\n");
    bytes_free(&corners);
    bytes_free(&ends);
}

// A vector of each body's velocity, on each of its faces.
static void pvd_velocity(pvd_writer *pvd, const char *name, int32_t first, int32_t last) {
    byte_buffer data = {0};
    int32_t size = pvd->replay.dim == 3 ? 6 : 3;
    for (int64_t i = 0; i < pvd->replay.bodies; i++) {
        const double *v = pvd->replay.v + size * i;
        for (int32_t f = 0; f < pvd->meshes[i].face_count; f++) {
            // In 2D the spin is about z.
            for (int32_t k = 0; k < 3; k++) {
                bool is_spin = first >= pvd->replay.dim;
                int32_t at = pvd->replay.dim == 2 && is_spin ? (k == 2 ? 2 : -1) : first + k;
                bytes_f32(&data, at >= first && at < last ? v[at] : 0.0);
            }
        }
    }
    pvd_array(pvd, "Float32", name, 3, &data);
    bytes_free(&data);
}

static void pvd_fields(pvd_writer *pvd, const int32_t *touching) {
    byte_buffer bodies = {0}, contacts = {0}, masses = {0};
    int32_t dim = pvd->replay.dim;
    for (int32_t i = 0; i < pvd->replay.bodies; i++) {
        cn_body_info about;
        cn_model_body(pvd->replay.model, i + 1, &about);
        for (int32_t f = 0; f < pvd->meshes[i].face_count; f++) {
            bytes_u32(&bodies, (uint32_t)(i + 1));
            bytes_u32(&contacts, (uint32_t)touching[i]);
            bytes_f32(&masses, strcmp(about.kind, "rigid") == 0 ? about.mass : 0.0);
        }
    }
    pvd_put(pvd, "<CellData Scalars=\"body\" Vectors=\"velocity\">\n");
    pvd_array(pvd, "Int32", "body", 1, &bodies);
    pvd_array(pvd, "Int32", "contacts", 1, &contacts);
    pvd_array(pvd, "Float32", "mass", 1, &masses);
    pvd_velocity(pvd, "velocity", 0, dim);
    pvd_velocity(pvd, "angular_velocity", dim, dim == 3 ? 6 : 3);
    pvd_put(pvd, "</CellData>\n");
    bytes_free(&bodies);
    bytes_free(&contacts);
    bytes_free(&masses);
}

static int pvd_bodies(pvd_writer *pvd, int64_t step, const cn_contact_record *contacts,
                      int32_t count) {
    int32_t *touching = ALLOCATE(int32_t, pvd->replay.bodies + 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t pair[2] = {contacts[i].candidate, contacts[i].antagonist};
        for (int32_t k = 0; k < 2; k++) {
            if (contacts[i].status > 0 && pair[k] >= 1 && pair[k] <= pvd->replay.bodies) {
                touching[pair[k] - 1]++;
            }
        }
    }
    pvd_begin_surface(pvd, pvd->points, 0, pvd->faces);
    pvd_points(pvd);
    pvd_polys(pvd);
    pvd_fields(pvd, touching);
    free(touching);
    return pvd_end(pvd, "PolyData", "bodies", "vtp", step);
}

// ---- contacts ----

static void pvd_vector(pvd_writer *pvd, const char *name, size_t offset,
                       const cn_contact_record *contacts, int32_t count, double scale) {
    byte_buffer data = {0};
    for (int32_t i = 0; i < count; i++) {
        const double *x = (const double *)(const void *)((const char *)&contacts[i] + offset);
        for (int32_t k = 0; k < 3; k++) {
            bytes_f32(&data, k < pvd->replay.dim ? scale * x[k] : 0.0);
        }
    }
    pvd_array(pvd, "Float32", name, 3, &data);
    bytes_free(&data);
}

static void pvd_contact_fields(pvd_writer *pvd, const cn_contact_record *contacts, int32_t count) {
    byte_buffer gap = {0}, friction = {0}, status = {0}, candidate = {0}, antagonist = {0};
    for (int32_t i = 0; i < count; i++) {
        bytes_f32(&gap, contacts[i].gap);
        bytes_f32(&friction, contacts[i].friction);
        bytes_u32(&status, contacts[i].status);
        bytes_u32(&candidate, (uint32_t)contacts[i].candidate);
        bytes_u32(&antagonist, (uint32_t)contacts[i].antagonist);
    }
    pvd_put(pvd, "<PointData Scalars=\"status\" Vectors=\"force\">\n");
    pvd_vector(pvd, "normal", offsetof(cn_contact_record, normal), contacts, count, 1.0);
    pvd_vector(pvd, "force", offsetof(cn_contact_record, impulse), contacts, count,
               1.0 / pvd->replay.h);
    pvd_vector(pvd, "velocity", offsetof(cn_contact_record, velocity), contacts, count, 1.0);
    pvd_array(pvd, "Float32", "gap", 1, &gap);
    pvd_array(pvd, "Float32", "friction", 1, &friction);
    pvd_array(pvd, "Int32", "status", 1, &status);
    pvd_array(pvd, "Int32", "candidate", 1, &candidate);
    pvd_array(pvd, "Int32", "antagonist", 1, &antagonist);
    pvd_put(pvd, "</PointData>\n");
    bytes_free(&gap);
    bytes_free(&friction);
    bytes_free(&status);
    bytes_free(&candidate);
    bytes_free(&antagonist);
}

static int pvd_contacts(pvd_writer *pvd, int64_t step, const cn_contact_record *contacts,
                        int32_t count) {
    byte_buffer corners = {0}, ends = {0};
    for (int32_t i = 0; i < count; i++) {
        bytes_u32(&corners, (uint32_t)i);
        bytes_u32(&ends, (uint32_t)i + 1);
    }
    pvd_begin_surface(pvd, count, count, 0);
    pvd_put(pvd, "<Points>\n");
    pvd_vector(pvd, "Points", offsetof(cn_contact_record, point), contacts, count, 1.0);
    pvd_put(pvd, "</Points>\n<Verts>\n");
    pvd_array(pvd, "Int32", "connectivity", 1, &corners);
    pvd_array(pvd, "Int32", "offsets", 1, &ends);
    pvd_put(pvd, "</Verts>\n");
    pvd_contact_fields(pvd, contacts, count);
    bytes_free(&corners);
    bytes_free(&ends);
    return pvd_end(pvd, "PolyData", "contacts", "vtp", step);
}

// ---- deformable bodies ----

static int64_t pvd_soft_elements(const pvd_writer *pvd) {
    int64_t elements = 0;
    for (int32_t i = 0; i < pvd->soft_count; i++) {
        elements += pvd->soft[i].element_count;
    }
    return elements;
}

// Vectors of the nodes, dim numbers each.
static void pvd_soft_vectors(pvd_writer *pvd, const char *name, const double *x, int32_t count) {
    byte_buffer data = {0};
    int32_t dim = pvd->replay.dim;
    for (int32_t n = 0; n < count; n++) {
        for (int32_t k = 0; k < 3; k++) {
            bytes_f32(&data, k < dim ? x[(int64_t)dim * n + k] : 0.0);
        }
    }
    pvd_array(pvd, "Float32", name, 3, &data);
    bytes_free(&data);
}

// Displacements from where the scene places the nodes.
static void pvd_displacements(pvd_writer *pvd, const cn_run_node_state *nodes) {
    int32_t dim = pvd->replay.dim;
    double *moved = ALLOCATE(double, (int64_t)dim * nodes->count + 1);
    for (int32_t i = 0; i < pvd->soft_count; i++) {
        const cn_run_mesh *mesh = &pvd->soft[i];
        cn_body_info about;
        cn_model_body(pvd->replay.model, mesh->body, &about);
        double pose[7];
        memcpy(pose, about.position, sizeof about.position);
        memcpy(pose + 3, about.orientation, sizeof about.orientation);
        for (int32_t n = 0; n < mesh->node_count; n++) {
            double own[3] = {0.0, 0.0, 0.0}, placed[3];
            memcpy(own, mesh->nodes + (int64_t)dim * n, sizeof *own * (size_t)dim);
            pvd_place(3, pose, own, placed);
            for (int32_t k = 0; k < dim; k++) {
                int64_t at = (int64_t)dim * (mesh->first_node + n) + k;
                moved[at] = nodes->x[at] - placed[k];
            }
        }
    }
    pvd_soft_vectors(pvd, "displacement", moved, nodes->count);
    free(moved);
}

static void pvd_cells(pvd_writer *pvd) {
    byte_buffer corners = {0}, ends = {0}, types = {0};
    uint32_t end = 0;
    for (int32_t i = 0; i < pvd->soft_count; i++) {
        const cn_run_mesh *mesh = &pvd->soft[i];
        // VTK's triangles, quadrilaterals, tetrahedra and hexahedra, linear and quadratic.
        static const unsigned char plane[] = {[3] = 5, [4] = 9, [6] = 22, [8] = 23};
        static const unsigned char space[] = {[4] = 10, [8] = 12, [10] = 24};
        unsigned char type = (pvd->replay.dim == 2 ? plane : space)[mesh->per_element];
        for (int64_t k = 0; k < (int64_t)mesh->per_element * mesh->element_count; k++) {
            bytes_u32(&corners, (uint32_t)(mesh->first_node + mesh->elements[k]));
        }
        for (int32_t e = 0; e < mesh->element_count; e++) {
            end += (uint32_t)mesh->per_element;
            bytes_u32(&ends, end);
            bytes_put(&types, &type, 1);
        }
    }
    pvd_put(pvd, "<Cells>\n");
    pvd_array(pvd, "Int32", "connectivity", 1, &corners);
    pvd_array(pvd, "Int32", "offsets", 1, &ends);
    pvd_array(pvd, "UInt8", "types", 1, &types);
    pvd_put(pvd, "</Cells>\n");
    bytes_free(&corners);
    bytes_free(&ends);
    bytes_free(&types);
}

static cn_status pvd_stresses(pvd_writer *pvd, const cn_run_node_state *nodes) {
    byte_buffer bodies = {0}, stress = {0}, principal = {0}, mises = {0};
    cn_status status = CN_OK;
    int32_t dim = pvd->replay.dim, pose = dim == 3 ? 7 : 3;
    for (int32_t i = 0; status == CN_OK && i < pvd->soft_count; i++) {
        const cn_run_mesh *mesh = &pvd->soft[i];
        cn_stress *at = ALLOCATE(cn_stress, mesh->element_count + 1);
        status = cn_model_stresses(pvd->replay.model, mesh->body,
                                   pvd->replay.q + (int64_t)pose * (mesh->body - 1),
                                   nodes->x + (int64_t)dim * mesh->first_node, at);
        for (int32_t e = 0; status == CN_OK && e < mesh->element_count; e++) {
            bytes_u32(&bodies, (uint32_t)mesh->body);
            for (int k = 0; k < 6; k++) {
                bytes_f32(&stress, at[e].stress[k]);
            }
            for (int k = 0; k < 3; k++) {
                bytes_f32(&principal, at[e].principal[k]);
            }
            bytes_f32(&mises, at[e].mises);
        }
        free(at);
    }
    pvd_put(pvd, "<CellData Scalars=\"mises\" Tensors=\"stress\">\n");
    pvd_array(pvd, "Int32", "body", 1, &bodies);
    pvd_array(pvd, "Float32", "stress", 6, &stress);
    pvd_array(pvd, "Float32", "principal", 3, &principal);
    pvd_array(pvd, "Float32", "mises", 1, &mises);
    pvd_put(pvd, "</CellData>\n");
    bytes_free(&bodies);
    bytes_free(&stress);
    bytes_free(&principal);
    bytes_free(&mises);
    return status;
}

static int pvd_deformables(pvd_writer *pvd, int64_t step, const cn_run_node_state *nodes) {
    char *counts = format_text("NumberOfPoints=\"%d\" NumberOfCells=\"%lld\"", (int)nodes->count,
                               (long long)pvd_soft_elements(pvd));
    pvd_begin(pvd, "UnstructuredGrid", counts);
    free(counts);
    pvd_put(pvd, "<Points>\n");
    pvd_soft_vectors(pvd, "Points", nodes->x, nodes->count);
    pvd_put(pvd, "</Points>\n");
    pvd_cells(pvd);
    pvd_put(pvd, "<PointData Vectors=\"displacement\">\n");
    pvd_displacements(pvd, nodes);
    pvd_soft_vectors(pvd, "velocity", nodes->v, nodes->count);
    pvd_put(pvd, "</PointData>\n");
    if (pvd_stresses(pvd, nodes) != CN_OK) {
        return report_failure("the scene of this run does not have its deformable bodies");
    }
    return pvd_end(pvd, "UnstructuredGrid", "deformable", "vtu", step);
}

// ---- the whole ----

// A line of the list, which names the file of a part.
static void pvd_list(FILE *list, double t, int part, const char *file, const char *ending,
                     int64_t step) {
    fprintf(list, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s-%06lld.%s\"/>\n", t, part,
            file, (long long)step, ending);
}

static int pvd_frame(pvd_writer *pvd, int64_t place, FILE *list) {
    cn_error error = {.status = CN_OK};
    cn_arena *memory = cn_arena_create(NULL);
    cn_contact_record *contacts;
    cn_run_node_state nodes;
    int64_t step;
    int32_t count;
    double t;
    if (!memory) {
        return report_failure("out of memory");
    }
    int code;
    if (cn_run_frame(pvd->replay.run, place, &step, &t, pvd->replay.q, pvd->replay.v, &error) !=
            CN_OK ||
        cn_run_contacts(pvd->replay.run, place, memory, &contacts, &count, &error) != CN_OK ||
        cn_run_nodes(pvd->replay.run, place, memory, &nodes, &error) != CN_OK) {
        code = report_error_in(&error, pvd->replay.path);
    } else {
        code = pvd_bodies(pvd, step, contacts, count);
        code = code == EXIT_DONE ? pvd_contacts(pvd, step, contacts, count) : code;
        pvd_list(list, t, 0, "bodies", "vtp", step);
        pvd_list(list, t, 1, "contacts", "vtp", step);
        if (code == EXIT_DONE && nodes.count > 0) {
            code = pvd_deformables(pvd, step, &nodes);
            pvd_list(list, t, 2, "deformable", "vtu", step);
        }
    }
    cn_arena_destroy(memory);
    return code;
}

static int pvd_frames(pvd_writer *pvd, FILE *list, int64_t *written) {
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(pvd->replay.run, &steps, &times);
    int code = EXIT_DONE;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          list);
    for (int64_t i = 0; code == EXIT_DONE && i < frames; i++) {
        bool wanted = pvd->job->last < pvd->job->first ||
                      (steps[i] >= pvd->job->first && steps[i] <= pvd->job->last);
        if (wanted) {
            code = pvd_frame(pvd, i, list);
            ++*written;
        }
    }
    fputs("</Collection>\n</VTKFile>\n", list);
    return code;
}

int export_pvd(const export_job *job, recorded_run *recorded) {
    pvd_writer pvd = {.job = job};
    cn_error error = {.status = CN_OK};
    int64_t written = 0;
    if (replay_open(recorded->path, &pvd.replay, &error) != CN_OK) {
        return report_error_in(&error, recorded->path);
    }
    mesh_options options = mesh_options_of(pvd.replay.model, pvd.replay.low, pvd.replay.high);
    pvd.meshes = ALLOCATE(surface_mesh, pvd.replay.bodies + 1);
    for (int32_t i = 0; i < pvd.replay.bodies; i++) {
        pvd.meshes[i] = mesh_of_body(pvd.replay.model, i + 1, &options);
        pvd.points += pvd.meshes[i].point_count;
        pvd.faces += pvd.meshes[i].face_count;
        pvd.loops += pvd.meshes[i].loop_count;
    }
    char *name = format_text("%s.pvd", job->name);
    output_file list;
    int code = EXIT_FAILED;
    pvd.memory = cn_arena_create(NULL);
    if (!pvd.memory) {
        report_failure("out of memory");
    } else if (cn_run_meshes(pvd.replay.run, pvd.memory, &pvd.soft, &pvd.soft_count, &error) !=
               CN_OK) {
        code = report_error_in(&error, recorded->path);
    } else if (output_open_in(&list, job->folder, name)) {
        code = pvd_frames(&pvd, list.file, &written);
        if (code == EXIT_DONE) {
            code = output_close(&list);
        } else {
            output_discard(&list);
        }
    }
    if (code == EXIT_DONE && !job->quiet) {
        print_format(stdout, "%s/%s: %lld frames, for ParaView\n", job->folder, name,
                     (long long)written);
    }
    for (int32_t i = 0; i < pvd.replay.bodies; i++) {
        mesh_free(&pvd.meshes[i]);
    }
    free(pvd.meshes);
    cn_arena_destroy(pvd.memory);
    free(name);
    bytes_free(&pvd.text);
    replay_close(&pvd.replay);
    return code;
}
