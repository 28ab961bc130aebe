// app/export/pvd.c
// A run for ParaView: a .pvd file that names, for each frame, a .vtp file with the bodies' surfaces
// and their fields and one with the contacts as points with vectors. VTK's XML, arrays in base64
// without compression, each behind its length (64 bits); no library is needed.
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

typedef struct cn_pvd {
    const cn_export_job *job;
    cn_show show;
    cn_mesh *meshes; // of the bodies
    int64_t points, faces, loops;
    cn_bytes text; // the file being made
} cn_pvd;

static void cn_pvd_put(cn_pvd *pvd, const char *format, ...) CN_PRINTF(2, 3);
static void cn_pvd_put(cn_pvd *pvd, const char *format, ...) {
    char piece[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    cn_bytes_put(&pvd->text, piece, length > 0 ? (size_t)length : 0);
}

// An array of the kinds that are used here. data is emptied.
static void cn_pvd_array(cn_pvd *pvd, const char *type, const char *name, int32_t components,
                         cn_bytes *data) {
    cn_bytes whole = {0};
    cn_bytes_u32(&whole, (uint32_t)data->size);
    cn_bytes_u32(&whole, (uint32_t)((uint64_t)data->size >> 32));
    cn_bytes_put(&whole, data->data, data->size);
    cn_pvd_put(pvd,
               "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
               "format=\"binary\">",
               type, name, (int)components);
    cn_bytes_base64(&pvd->text, whole.data, whole.size);
    cn_pvd_put(pvd, "</DataArray>\n");
    cn_bytes_free(&whole);
    data->size = 0;
}

static void cn_pvd_begin(cn_pvd *pvd, int64_t points, int64_t verts, int64_t polys) {
    pvd->text.size = 0;
    cn_pvd_put(pvd, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                    "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    cn_pvd_put(pvd,
               "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" NumberOfLines=\"0\" "
               "NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
               (long long)points, (long long)verts, (long long)polys);
}

static int cn_pvd_end(cn_pvd *pvd, const char *kind, int64_t step) {
    cn_pvd_put(pvd, "</Piece>\n</PolyData>\n</VTKFile>\n");
    char *name = cn_text("%s-%06lld.vtp", kind, (long long)step);
    cn_output out;
    int code = CN_EXIT_FAILURE;
    if (cn_output_open_in(&out, pvd->job->folder, name)) {
        fwrite(pvd->text.data, 1, pvd->text.size, out.file);
        code = cn_output_close(&out);
    }
    free(name);
    return code;
}

// ---- bodies ----

// A point of a body's own frame in the world.
static void cn_pvd_place(int32_t dim, const double *pose, const double *own, double out[3]) {
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

static void cn_pvd_points(cn_pvd *pvd) {
    cn_bytes data = {0};
    int32_t pose = pvd->show.dim == 3 ? 7 : 3;
    for (int64_t i = 0; i < pvd->show.bodies; i++) {
        for (int64_t k = 0; k < pvd->meshes[i].point_count; k++) {
            double x[3];
            cn_pvd_place(pvd->show.dim, pvd->show.q + pose * i, pvd->meshes[i].points + 3 * k, x);
            for (int32_t c = 0; c < 3; c++) {
                cn_bytes_f32(&data, x[c]);
            }
        }
    }
    cn_pvd_put(pvd, "<Points>\n");
    cn_pvd_array(pvd, "Float32", "Points", 3, &data);
    cn_pvd_put(pvd, "</Points>\n");
    cn_bytes_free(&data);
}

static void cn_pvd_polys(cn_pvd *pvd) {
    cn_bytes corners = {0}, ends = {0};
    int64_t point = 0, loop = 0;
    for (int64_t i = 0; i < pvd->show.bodies; i++) {
        const cn_mesh *mesh = &pvd->meshes[i];
        for (int32_t k = 0; k < mesh->loop_count; k++) {
            cn_bytes_u32(&corners, (uint32_t)(point + mesh->loop[k]));
        }
        for (int32_t f = 1; f <= mesh->face_count; f++) {
            cn_bytes_u32(&ends, (uint32_t)(loop + mesh->face[f]));
        }
        point += mesh->point_count;
        loop += mesh->loop_count;
    }
    cn_pvd_put(pvd, "<Polys>\n");
    cn_pvd_array(pvd, "Int32", "connectivity", 1, &corners);
    cn_pvd_array(pvd, "Int32", "offsets", 1, &ends);
    cn_pvd_put(pvd, "</Polys>\n");
    cn_bytes_free(&corners);
    cn_bytes_free(&ends);
}

// A vector of each body's velocity, on each of its faces.
static void cn_pvd_velocity(cn_pvd *pvd, const char *name, int32_t first, int32_t last) {
    cn_bytes data = {0};
    int32_t size = pvd->show.dim == 3 ? 6 : 3;
    for (int64_t i = 0; i < pvd->show.bodies; i++) {
        const double *v = pvd->show.v + size * i;
        for (int32_t f = 0; f < pvd->meshes[i].face_count; f++) {
            // In 2D the spin is about z.
            for (int32_t k = 0; k < 3; k++) {
                bool is_spin = first >= pvd->show.dim;
                int32_t at = pvd->show.dim == 2 && is_spin ? (k == 2 ? 2 : -1) : first + k;
                cn_bytes_f32(&data, at >= first && at < last ? v[at] : 0.0);
            }
        }
    }
    cn_pvd_array(pvd, "Float32", name, 3, &data);
    cn_bytes_free(&data);
}

static void cn_pvd_fields(cn_pvd *pvd, const int32_t *touching) {
    cn_bytes bodies = {0}, contacts = {0}, masses = {0};
    int32_t dim = pvd->show.dim;
    for (int32_t i = 0; i < pvd->show.bodies; i++) {
        cn_body_info about;
        cn_model_body(pvd->show.model, i + 1, &about);
        for (int32_t f = 0; f < pvd->meshes[i].face_count; f++) {
            cn_bytes_u32(&bodies, (uint32_t)(i + 1));
            cn_bytes_u32(&contacts, (uint32_t)touching[i]);
            cn_bytes_f32(&masses, strcmp(about.kind, "rigid") == 0 ? about.mass : 0.0);
        }
    }
    cn_pvd_put(pvd, "<CellData Scalars=\"body\" Vectors=\"velocity\">\n");
    cn_pvd_array(pvd, "Int32", "body", 1, &bodies);
    cn_pvd_array(pvd, "Int32", "contacts", 1, &contacts);
    cn_pvd_array(pvd, "Float32", "mass", 1, &masses);
    cn_pvd_velocity(pvd, "velocity", 0, dim);
    cn_pvd_velocity(pvd, "angular_velocity", dim, dim == 3 ? 6 : 3);
    cn_pvd_put(pvd, "</CellData>\n");
    cn_bytes_free(&bodies);
    cn_bytes_free(&contacts);
    cn_bytes_free(&masses);
}

static int cn_pvd_bodies(cn_pvd *pvd, int64_t step, const cn_contact_record *contacts,
                         int32_t count) {
    int32_t *touching = CN_ALLOCATE(int32_t, pvd->show.bodies + 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t pair[2] = {contacts[i].candidate, contacts[i].antagonist};
        for (int32_t k = 0; k < 2; k++) {
            if (contacts[i].status > 0 && pair[k] >= 1 && pair[k] <= pvd->show.bodies) {
                touching[pair[k] - 1]++;
            }
        }
    }
    cn_pvd_begin(pvd, pvd->points, 0, pvd->faces);
    cn_pvd_points(pvd);
    cn_pvd_polys(pvd);
    cn_pvd_fields(pvd, touching);
    free(touching);
    return cn_pvd_end(pvd, "bodies", step);
}

// ---- contacts ----

static void cn_pvd_vector(cn_pvd *pvd, const char *name, size_t offset,
                          const cn_contact_record *contacts, int32_t count, double scale) {
    cn_bytes data = {0};
    for (int32_t i = 0; i < count; i++) {
        const double *x = (const double *)(const void *)((const char *)&contacts[i] + offset);
        for (int32_t k = 0; k < 3; k++) {
            cn_bytes_f32(&data, k < pvd->show.dim ? scale * x[k] : 0.0);
        }
    }
    cn_pvd_array(pvd, "Float32", name, 3, &data);
    cn_bytes_free(&data);
}

static void cn_pvd_contact_fields(cn_pvd *pvd, const cn_contact_record *contacts, int32_t count) {
    cn_bytes gap = {0}, friction = {0}, status = {0}, candidate = {0}, antagonist = {0};
    for (int32_t i = 0; i < count; i++) {
        cn_bytes_f32(&gap, contacts[i].gap);
        cn_bytes_f32(&friction, contacts[i].friction);
        cn_bytes_u32(&status, contacts[i].status);
        cn_bytes_u32(&candidate, (uint32_t)contacts[i].candidate);
        cn_bytes_u32(&antagonist, (uint32_t)contacts[i].antagonist);
    }
    cn_pvd_put(pvd, "<PointData Scalars=\"status\" Vectors=\"force\">\n");
    cn_pvd_vector(pvd, "normal", offsetof(cn_contact_record, normal), contacts, count, 1.0);
    cn_pvd_vector(pvd, "force", offsetof(cn_contact_record, impulse), contacts, count,
                  1.0 / pvd->show.h);
    cn_pvd_vector(pvd, "velocity", offsetof(cn_contact_record, velocity), contacts, count, 1.0);
    cn_pvd_array(pvd, "Float32", "gap", 1, &gap);
    cn_pvd_array(pvd, "Float32", "friction", 1, &friction);
    cn_pvd_array(pvd, "Int32", "status", 1, &status);
    cn_pvd_array(pvd, "Int32", "candidate", 1, &candidate);
    cn_pvd_array(pvd, "Int32", "antagonist", 1, &antagonist);
    cn_pvd_put(pvd, "</PointData>\n");
    cn_bytes_free(&gap);
    cn_bytes_free(&friction);
    cn_bytes_free(&status);
    cn_bytes_free(&candidate);
    cn_bytes_free(&antagonist);
}

static int cn_pvd_contacts(cn_pvd *pvd, int64_t step, const cn_contact_record *contacts,
                           int32_t count) {
    cn_bytes corners = {0}, ends = {0};
    for (int32_t i = 0; i < count; i++) {
        cn_bytes_u32(&corners, (uint32_t)i);
        cn_bytes_u32(&ends, (uint32_t)i + 1);
    }
    cn_pvd_begin(pvd, count, count, 0);
    cn_pvd_put(pvd, "<Points>\n");
    cn_pvd_vector(pvd, "Points", offsetof(cn_contact_record, point), contacts, count, 1.0);
    cn_pvd_put(pvd, "</Points>\n<Verts>\n");
    cn_pvd_array(pvd, "Int32", "connectivity", 1, &corners);
    cn_pvd_array(pvd, "Int32", "offsets", 1, &ends);
    cn_pvd_put(pvd, "</Verts>\n");
    cn_pvd_contact_fields(pvd, contacts, count);
    cn_bytes_free(&corners);
    cn_bytes_free(&ends);
    return cn_pvd_end(pvd, "contacts", step);
}

// ---- the whole ----

static int cn_pvd_frame(cn_pvd *pvd, int64_t place, FILE *list) {
    cn_error error = {.status = CN_OK};
    cn_arena *memory = cn_arena_create(NULL);
    cn_contact_record *contacts;
    int64_t step;
    int32_t count;
    double t;
    if (!memory) {
        return cn_report_failure("out of memory");
    }
    int code;
    if (cn_run_frame(pvd->show.run, place, &step, &t, pvd->show.q, pvd->show.v, &error) != CN_OK ||
        cn_run_contacts(pvd->show.run, place, memory, &contacts, &count, &error) != CN_OK) {
        code = cn_report_error_in(&error, pvd->show.path);
    } else {
        code = cn_pvd_bodies(pvd, step, contacts, count);
        code = code == CN_EXIT_DONE ? cn_pvd_contacts(pvd, step, contacts, count) : code;
        const char *const kinds[2] = {"bodies", "contacts"};
        for (int32_t k = 0; k < 2; k++) {
            fprintf(list, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s-%06lld.vtp\"/>\n", t,
                    (int)k, kinds[k], (long long)step);
        }
    }
    cn_arena_destroy(memory);
    return code;
}

static int cn_pvd_frames(cn_pvd *pvd, FILE *list, int64_t *written) {
    const int64_t *steps;
    const double *times;
    int64_t frames = cn_run_moments(pvd->show.run, &steps, &times);
    int code = CN_EXIT_DONE;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          list);
    for (int64_t i = 0; code == CN_EXIT_DONE && i < frames; i++) {
        bool wanted = pvd->job->last < pvd->job->first ||
                      (steps[i] >= pvd->job->first && steps[i] <= pvd->job->last);
        if (wanted) {
            code = cn_pvd_frame(pvd, i, list);
            ++*written;
        }
    }
    fputs("</Collection>\n</VTKFile>\n", list);
    return code;
}

int cn_export_pvd(const cn_export_job *job, cn_recorded *recorded) {
    cn_pvd pvd = {.job = job};
    cn_error error = {.status = CN_OK};
    int64_t written = 0;
    if (cn_show_open(recorded->path, &pvd.show, &error) != CN_OK) {
        return cn_report_error_in(&error, recorded->path);
    }
    cn_mesh_options options = cn_mesh_options_of(pvd.show.model, pvd.show.low, pvd.show.high);
    pvd.meshes = CN_ALLOCATE(cn_mesh, pvd.show.bodies + 1);
    for (int32_t i = 0; i < pvd.show.bodies; i++) {
        pvd.meshes[i] = cn_mesh_of_body(pvd.show.model, i + 1, &options);
        pvd.points += pvd.meshes[i].point_count;
        pvd.faces += pvd.meshes[i].face_count;
        pvd.loops += pvd.meshes[i].loop_count;
    }
    char *name = cn_text("%s.pvd", job->name);
    cn_output list;
    int code = CN_EXIT_FAILURE;
    if (cn_output_open_in(&list, job->folder, name)) {
        code = cn_pvd_frames(&pvd, list.file, &written);
        if (code == CN_EXIT_DONE) {
            code = cn_output_close(&list);
        } else {
            cn_output_discard(&list);
        }
    }
    if (code == CN_EXIT_DONE && !job->quiet) {
        cn_say(stdout, "%s/%s: %lld frames, for ParaView\n", job->folder, name, (long long)written);
    }
    for (int32_t i = 0; i < pvd.show.bodies; i++) {
        cn_mesh_free(&pvd.meshes[i]);
    }
    free(pvd.meshes);
    free(name);
    cn_bytes_free(&pvd.text);
    cn_show_close(&pvd.show);
    return code;
}
