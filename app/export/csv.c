// app/export/csv.c
// A run as tables for spreadsheets and plotting programs: numbers with the fewest digits that read
// back as the same double.
#include "export/export.h"

#include "support/json.h"
#include "support/support.h"
#include "support/table_writer.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

static bool csv_open(output_file *out, const char *folder, const char *name, const char *titles) {
    bool opened = output_open_in(out, folder, name);
    if (opened) {
        fprintf(out->file, "%s\n", titles);
    }
    return opened;
}

static void csv_reals(FILE *file, const double *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        char text[32];
        fprintf(file, ",%s", real_text(x[i], text));
    }
}

static bool csv_wants(const export_job *job, int64_t step) {
    return job->last < job->first || (step >= job->first && step <= job->last);
}

// A column of the ledger in the first line, and in a row.
#define CSV_NAME(name, kind) "," #name
#define CSV_I(value) fprintf(file, ",%d", (int)(value));
#define CSV_R(value) csv_reals(file, &(value), 1);
#define CSV_S(value) fprintf(file, ",%s", value);
#define CSV_O(value) fprintf(file, ",%s", cn_outcome_text(value));
#define CSV_VALUE(name, kind) CSV_##kind(row->name)

static int csv_ledger(const export_job *job, recorded_run *recorded) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_step_report *rows;
    cn_error error = {.status = CN_OK};
    int64_t count;
    if (!memory || cn_run_ledger(recorded->run, memory, &rows, &count, &error) != CN_OK) {
        cn_arena_destroy(memory);
        return memory ? report_error_in(&error, recorded->path) : report_failure("out of memory");
    }
    output_file out;
    bool opened = csv_open(&out, job->folder, "ledger.csv", "step,t" CN_LEDGER_VALUES(CSV_NAME));
    FILE *file = opened ? out.file : NULL;
    for (int64_t i = 0; file && i < count; i++) {
        const cn_step_report *row = &rows[i];
        if (!csv_wants(job, row->step)) {
            continue;
        }
        fprintf(file, "%lld", (long long)row->step);
        csv_reals(file, &row->t, 1);
        CN_LEDGER_VALUES(CSV_VALUE)
        fputc('\n', file);
    }
    cn_arena_destroy(memory);
    return opened ? output_close(&out) : EXIT_FAILED;
}

// The columns that the scene records, where there are any.
static int csv_record(const export_job *job, recorded_run *recorded) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_columns columns = {.count = 0};
    cn_error error = {.status = CN_OK};
    if (!memory || cn_run_columns_read(recorded->run, memory, &columns, &error) != CN_OK) {
        cn_arena_destroy(memory);
        return memory ? report_error_in(&error, recorded->path) : report_failure("out of memory");
    }
    output_file out;
    bool opened = columns.count > 0 && output_open_in(&out, job->folder, "record.csv");
    for (int32_t k = 0; opened && k < columns.count; k++) {
        fprintf(out.file, k == 0 ? "step,t," : ",");
        csv_text(out.file, columns.name[k]);
    }
    if (opened) {
        fputc('\n', out.file);
    }
    for (int64_t i = 0; opened && i < columns.rows; i++) {
        if (csv_wants(job, columns.step[i])) {
            fprintf(out.file, "%lld", (long long)columns.step[i]);
            csv_reals(out.file, &columns.t[i], 1);
            csv_reals(out.file, columns.value + columns.count * i, columns.count);
            fputc('\n', out.file);
        }
    }
    bool none = columns.count == 0;
    cn_arena_destroy(memory);
    return none ? EXIT_DONE : opened ? output_close(&out) : EXIT_FAILED;
}

// Bodies have one line each in a frame; a system has one, with its coordinates, which stand three
// to a body in frames.
static bool csv_frames_open(output_file *out, const char *folder, const cn_model *model) {
    const cn_system *system = cn_model_system(model);
    if (!system) {
        return csv_open(out, folder, "frames.csv",
                        cn_model_dim(model) == 3
                            ? "step,t,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"
                            : "step,t,body,name,x,y,angle,vx,vy,w");
    }
    if (!output_open_in(out, folder, "frames.csv")) {
        return false;
    }
    for (int32_t k = 0; k < 2 * cn_system_size(system); k++) {
        int32_t n = cn_system_size(system);
        fprintf(out->file, "%s,%c%d", k == 0 ? "step,t" : "", k < n ? 'q' : 'v', (int)(k % n) + 1);
    }
    fputc('\n', out->file);
    return true;
}

static void csv_system_frame(FILE *file, const cn_system *system, int64_t step, double t,
                             const double *q, const double *v) {
    fprintf(file, "%lld", (long long)step);
    csv_reals(file, &t, 1);
    csv_reals(file, q, cn_system_size(system));
    csv_reals(file, v, cn_system_size(system));
    fputc('\n', file);
}

// One line a body.
static void csv_frame(FILE *file, const cn_model *model, int64_t step, double t, const double *q,
                      const double *v) {
    int32_t pose = cn_model_dim(model) == 3 ? 7 : 3, size = cn_model_dim(model) == 3 ? 6 : 3;
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        fprintf(file, "%lld", (long long)step);
        csv_reals(file, &t, 1);
        fprintf(file, ",%d,", (int)id);
        csv_text(file, body.name);
        csv_reals(file, q + (int64_t)pose * (id - 1), pose);
        csv_reals(file, v + (int64_t)size * (id - 1), size);
        fputc('\n', file);
    }
}

static const char contact_titles_3d[] =
    "step,t,candidate,antagonist,status,gap,friction,point_x,point_y,point_z,normal_x,normal_y,"
    "normal_z,impulse_x,impulse_y,impulse_z,velocity_x,velocity_y,velocity_z,before_x,before_y,"
    "before_z,shift_x,shift_y,shift_z";
static const char contact_titles_2d[] =
    "step,t,candidate,antagonist,status,gap,friction,point_x,point_y,normal_x,normal_y,impulse_x,"
    "impulse_y,velocity_x,velocity_y,before_x,before_y,shift_x,shift_y";

static const char moment_titles_3d[] = "step,t,body,name,xx,xy,xz,yx,yy,yz,zx,zy,zz";
static const char moment_titles_2d[] = "step,t,body,name,xx,xy,yx,yy";

// The moment stress of each body that has one.
static cn_status csv_moments(FILE *file, const cn_model *model, const cn_contact_record *contacts,
                             int32_t count, double h, int64_t step, double t, const double *q,
                             cn_error *error) {
    int32_t dim = cn_model_dim(model), bodies = cn_model_body_count(model);
    double *M = ALLOCATE(double, 9 * (int64_t)bodies);
    if (!M) {
        return error_memory(error);
    }
    cn_moment_stress(model, q, contacts, count, h, M);
    for (cn_body_id id = 1; id <= bodies; id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        if (strcmp(body.kind, "fixed") == 0) {
            continue;
        }
        fprintf(file, "%lld", (long long)step);
        csv_reals(file, &t, 1);
        fprintf(file, ",%d,", (int)id);
        csv_text(file, body.name);
        for (int32_t i = 0; i < dim; i++) {
            csv_reals(file, M + 9 * (int64_t)(id - 1) + 3 * i, dim);
        }
        fputc('\n', file);
    }
    free(M);
    return CN_OK;
}

static cn_status csv_contacts(FILE *file, FILE *moments, recorded_run *recorded, int64_t index,
                              int64_t step, double t, const double *q, cn_error *error) {
    static const char *const names[] = {"open", "stick", "slide"};
    int32_t dim = cn_model_dim(recorded->model), count;
    cn_arena *memory = cn_arena_create(NULL);
    cn_contact_record *contacts;
    if (!memory) {
        return error_memory(error);
    }
    cn_status status = cn_run_contacts(recorded->run, index, memory, &contacts, &count, error);
    for (int32_t i = 0; status == CN_OK && i < count; i++) {
        const cn_contact_record *c = &contacts[i];
        const double *const vectors[] = {c->point,    c->normal,          c->impulse,
                                         c->velocity, c->velocity_before, c->shift};
        fprintf(file, "%lld", (long long)step);
        csv_reals(file, &t, 1);
        fprintf(file, ",%d,%d,%s", (int)c->candidate, (int)c->antagonist,
                c->status < 3 ? names[c->status] : "unknown");
        csv_reals(file, &c->gap, 1);
        csv_reals(file, &c->friction, 1);
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
            csv_reals(file, vectors[k], dim);
        }
        fputc('\n', file);
    }
    if (status == CN_OK && !cn_model_system(recorded->model)) {
        status = csv_moments(moments, recorded->model, contacts, count,
                             cn_model_settings(recorded->model)->step, step, t, q, error);
    }
    cn_arena_destroy(memory);
    return status;
}

static cn_status csv_frames(const export_job *job, recorded_run *recorded, FILE *frames,
                            FILE *contacts, FILE *moments, cn_error *error) {
    int64_t bodies = cn_model_body_count(recorded->model);
    const cn_system *system = cn_model_system(recorded->model);
    double *q = ALLOCATE(double, 7 * bodies), *v = ALLOCATE(double, 6 * bodies), t;
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < cn_run_frame_count(recorded->run); i++) {
        int64_t step;
        status = cn_run_frame(recorded->run, i, &step, &t, q, v, error);
        if (status == CN_OK && csv_wants(job, step)) {
            if (system) {
                csv_system_frame(frames, system, step, t, q, v);
            } else {
                csv_frame(frames, recorded->model, step, t, q, v);
            }
            status = csv_contacts(contacts, moments, recorded, i, step, t, q, error);
        }
    }
    free(q);
    free(v);
    return status;
}

static void csv_joint_rows(const export_job *job, recorded_run *recorded, FILE *file, int64_t index,
                           const cn_joint_record *joints, int32_t count) {
    const int64_t *steps;
    const double *times;
    int32_t size = cn_model_dim(recorded->model) == 3 ? 6 : 3;
    cn_run_moments(recorded->run, &steps, &times);
    for (int32_t j = 0; j < count && csv_wants(job, steps[index]); j++) {
        cn_joint_info joint = {.name = ""};
        cn_model_joint(recorded->model, j + 1, &joint);
        fprintf(file, "%lld", (long long)steps[index]);
        csv_reals(file, &times[index], 1);
        fprintf(file, ",%d,", (int)j + 1);
        csv_text(file, joint.name);
        csv_reals(file, &joints[j].value, 1);
        csv_reals(file, &joints[j].rate, 1);
        csv_reals(file, &joints[j].effort, 1);
        csv_reals(file, joints[j].impulse, size);
        fputc('\n', file);
    }
}

// What the joints of each frame did, where there are any.
static int csv_joints(const export_job *job, recorded_run *recorded) {
    output_file out;
    cn_error error = {.status = CN_OK};
    const char *titles = cn_model_dim(recorded->model) == 3
                             ? "step,t,joint,name,value,rate,effort,impulse_x,impulse_y,impulse_z,"
                               "moment_x,moment_y,moment_z"
                             : "step,t,joint,name,value,rate,effort,impulse_x,impulse_y,moment";
    if (cn_model_joint_count(recorded->model) == 0) {
        return EXIT_DONE;
    }
    if (!csv_open(&out, job->folder, "joints.csv", titles)) {
        return EXIT_FAILED;
    }
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < cn_run_frame_count(recorded->run); i++) {
        cn_arena *memory = cn_arena_create(NULL);
        cn_joint_record *joints;
        int32_t count;
        status = memory ? cn_run_joints(recorded->run, i, memory, &joints, &count, &error)
                        : error_memory(&error);
        if (status == CN_OK) {
            csv_joint_rows(job, recorded, out.file, i, joints, count);
        }
        cn_arena_destroy(memory);
    }
    if (status != CN_OK) {
        output_discard(&out);
        return report_error_in(&error, recorded->path);
    }
    return output_close(&out);
}

int export_csv(const export_job *job, recorded_run *recorded) {
    bool is_3d = cn_model_dim(recorded->model) == 3;
    cn_error error = {.status = CN_OK};
    int code = csv_ledger(job, recorded);
    code = exit_join(code, csv_joints(job, recorded));
    code = exit_join(code, csv_record(job, recorded));
    output_file frames, contacts, moments;
    if (!csv_frames_open(&frames, job->folder, recorded->model)) {
        return EXIT_FAILED;
    }
    if (!csv_open(&contacts, job->folder, "contacts.csv",
                  is_3d ? contact_titles_3d : contact_titles_2d)) {
        output_discard(&frames);
        return EXIT_FAILED;
    }
    if (!csv_open(&moments, job->folder, "moment.csv",
                  is_3d ? moment_titles_3d : moment_titles_2d)) {
        output_discard(&frames);
        output_discard(&contacts);
        return EXIT_FAILED;
    }
    if (csv_frames(job, recorded, frames.file, contacts.file, moments.file, &error) != CN_OK) {
        code = exit_join(code, report_error_in(&error, recorded->path));
        output_discard(&frames);
        output_discard(&moments);
        output_discard(&contacts);
    } else {
        code = exit_join(code, output_close(&frames));
        code = exit_join(code, output_close(&contacts));
        code = exit_join(code, output_close(&moments));
    }
    if (code == EXIT_DONE && !job->quiet) {
        print_format(stdout, "%s: ledger.csv, frames.csv, contacts.csv, moment.csv%s%s\n",
                     job->folder, cn_model_joint_count(recorded->model) > 0 ? ", joints.csv" : "",
                     cn_model_column_count(recorded->model) > 0 ? ", record.csv" : "");
    }
    return code;
}
