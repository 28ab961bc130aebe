// problem/files/file.c
// Problem files: what a file holds is found from its bytes, never from its name.
//
// HDF5 files have a signature. Text files have none, so each kind is tried: a friction problem must
// use up the text exactly, which no LCP of the format does by chance, and an LCP comes last because
// it allows anything behind it. When none fits, the error of the kind that came furthest is given.
#include "io/file.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/hdf5/hdf5.h"
#include "problem/files/arrays.h"
#include "problem/files/dat.h"
#include "problem/files/fclib.h"

#include <string.h>
#include <strings.h>

// ---- reading ----

// One kind tried. *reached: how far behind the first word the text made sense as that kind.
static cn_status text_try(const cn_env *env, const char *name, const void *bytes, size_t size,
                          cn_problem_kind kind, prob_text_read_fn *read, cn_problem **out,
                          size_t *reached, cn_error *error) {
    io_text_reader reader;
    cn_arena *scratch = cn_arena_create(env);
    cn_problem *problem = cn_problem_create(env, kind);
    cn_status status = CN_ERR_MEMORY;
    *out = NULL;
    if (scratch && problem && io_text_open(&reader, name, bytes, size, error)) {
        const char *word;
        size_t length;
        io_text_peek(&reader, &word, &length);
        size_t first = reader.word;
        status = read(&reader, problem, scratch);
        *reached = reader.word - first;
        io_text_close(&reader);
    } else {
        base_fail_memory(error);
    }
    cn_arena_destroy(scratch);
    if (status == CN_OK) {
        *out = problem;
    } else {
        cn_problem_destroy(problem);
    }
    return status;
}

static bool text_is_rolling(const char *name, const void *bytes, size_t size) {
    io_text_reader reader;
    bool rolling = false;
    if (io_text_open(&reader, name, bytes, size, NULL)) {
        rolling = prob_dat_is_rolling(&reader);
        io_text_close(&reader);
    }
    return rolling;
}

static cn_status text_problem_read(const cn_env *env, const char *name, const void *bytes,
                                   size_t size, cn_problem **out, cn_error *error) {
    static const struct {
        cn_problem_kind kind;
        prob_text_read_fn *read;
    } kinds[] = {{CN_PROBLEM_FRICTION, prob_dat_read_local},
                 {CN_PROBLEM_FRICTION_GLOBAL, prob_dat_read_global},
                 {CN_PROBLEM_LCP, prob_lcp_text_read}};
    size_t furthest = 0;
    cn_error first = {0};
    // Without numbers of storage: nothing but exactly so many numbers does. It explains no fault.
    cn_status plain = text_try(env, name, bytes, size, CN_PROBLEM_LCP, prob_lcp_plain_read, out,
                               &furthest, &first);
    if (plain == CN_OK || plain == CN_ERR_MEMORY) {
        *error = first;
        return plain;
    }
    furthest = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cn_error attempt = {0};
        size_t reached = 0;
        cn_status status =
            text_try(env, name, bytes, size, kinds[i].kind, kinds[i].read, out, &reached, &attempt);
        if (status == CN_OK) {
            return CN_OK;
        }
        first = i == 0 ? attempt : first;
        if (status == CN_ERR_MEMORY || i == 0 || reached > furthest) {
            *error = attempt;
            furthest = reached;
            // A local problem with a wrong size looks like a global one for a while.
            if (kinds[i].kind == CN_PROBLEM_FRICTION_GLOBAL) {
                base_fail_hint(error, "or, as a local problem, %.200s", first.message);
            }
        }
        if (status == CN_ERR_MEMORY) {
            return status;
        }
    }
    if (text_is_rolling(name, bytes, size)) {
        base_fail(error, CN_ERR_UNSUPPORTED,
                  "a problem with rolling friction (five rows per contact)");
        base_fail_at(error, name, 1, 1);
    } else if (furthest == 0) {
        base_fail_hint(
            error, "a problem file is FCLIB (HDF5), Siconos .dat, LCP text, Matrix Market or .npy");
    }
    return error->status;
}

cn_status cn_problem_read_bytes(const cn_env *env, const char *name, const void *bytes, size_t size,
                                cn_problem **out, cn_error *error) {
    cn_error own;
    error = error ? error : &own;
    *error = (cn_error){0};
    *out = NULL;
    name = name ? name : "";
    if (!bytes || size == 0) {
        base_fail(error, CN_ERR_INPUT, "the file is empty");
        base_fail_at(error, name, 0, 0);
        return CN_ERR_INPUT;
    }
    // A matrix has its vectors in files beside it.
    bool arrays = io_array_is_npy(bytes, size) || io_array_is_mtx(bytes, size);
    bool hdf5 = io_hdf5_is_image(bytes, size);
    cn_status status = arrays ? prob_arrays_read(env, name, bytes, size, out, error)
                       : hdf5 ? prob_fclib_read(env, name, bytes, size, out, error)
                              : text_problem_read(env, name, bytes, size, out, error);
    if (status == CN_OK) {
        status = cn_problem_validate(*out, error);
        if (status != CN_OK) {
            base_fail_at(error, name, 0, 0);
            cn_problem_destroy(*out);
            *out = NULL;
        }
    }
    return status;
}

cn_status cn_problem_read(const cn_env *env, const char *path, cn_problem **out, cn_error *error) {
    base_buffer bytes;
    *out = NULL;
    if (!path) {
        return base_fail(error, CN_ERR_ARGUMENT, "no path given");
    }
    base_buffer_init(&bytes, env);
    cn_status status = io_file_read(path, &bytes, error);
    if (status == CN_OK) {
        status = cn_problem_read_bytes(env, path, bytes.data, bytes.size, out, error);
    }
    base_buffer_free(&bytes);
    return status;
}

// ---- writing ----

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t size = strlen(ending);
    return length >= size && strcasecmp(path + length - size, ending) == 0;
}

static cn_status format_of(const char *path, cn_file_format *format, cn_error *error) {
    static const struct {
        const char *ending;
        cn_file_format format;
    } endings[] = {{".hdf5", CN_FILE_FCLIB},
                   {".h5", CN_FILE_FCLIB},
                   {".dat", CN_FILE_TEXT},
                   {".mtx", CN_FILE_MATRIX_MARKET},
                   {".npy", CN_FILE_NUMPY}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (ends_with(path, endings[i].ending)) {
            *format = endings[i].format;
            return CN_OK;
        }
    }
    base_fail(error, CN_ERR_ARGUMENT, "the ending of the name does not say which format to write");
    base_fail_hint(error, "use .hdf5 or .h5 for FCLIB, .dat for text, .mtx or .npy for arrays");
    base_fail_at(error, path, 0, 0);
    return CN_ERR_ARGUMENT;
}

// Neither format has a place for boxes.
static cn_status refuse_joints(const cn_problem *problem, cn_error *error) {
    const cn_bounds *bounds =
        problem->kind == CN_PROBLEM_FRICTION ? &problem->friction.bounds : &problem->global.bounds;
    if (problem->kind == CN_PROBLEM_LCP || !bounds->boxed) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_UNSUPPORTED,
              "the problem has blocks of joint rows, which FCLIB and .dat files cannot hold");
    base_fail_hint(error, "eliminate bilateral rows with cn_friction_eliminate, then write that");
    return CN_ERR_UNSUPPORTED;
}

cn_status cn_problem_write(const cn_problem *problem, const char *path, cn_file_format format,
                           cn_error *error) {
    if (!problem || !path) {
        return base_fail(error, CN_ERR_ARGUMENT, "no problem or no path given");
    }
    cn_status status = format == CN_FILE_AUTO ? format_of(path, &format, error) : CN_OK;
    CN_TRY(status);
    status = cn_problem_validate(problem, error);
    if (status == CN_OK) {
        status = refuse_joints(problem, error);
    }
    if (status == CN_OK && (format == CN_FILE_MATRIX_MARKET || format == CN_FILE_NUMPY)) {
        status = prob_arrays_write(problem, path, format == CN_FILE_NUMPY, error);
        if (status != CN_OK && error && !error->file[0]) {
            base_fail_at(error, path, 0, 0);
        }
        return status;
    }
    base_buffer bytes;
    base_buffer_init(&bytes, problem->memory ? cn_arena_env(problem->memory) : NULL);
    if (status == CN_OK) {
        status = format == CN_FILE_FCLIB ? prob_fclib_write(problem, &bytes, error)
                                         : prob_text_problem_write(problem, &bytes, error);
    }
    if (status == CN_OK) {
        status = io_file_write(path, bytes.data, bytes.size, error);
    } else {
        base_fail_at(error, path, 0, 0);
    }
    base_buffer_free(&bytes);
    return status;
}
