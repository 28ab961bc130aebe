// io/hdf5_write.c
// Writing through HDF5's C library (The HDF Group, "HDF5 Reference Manual", release 1.10), into an
// image of its core driver: the bytes then go through the same atomic replacement as any other
// file. The image and its copy must fit into memory together; for more, use the library's own
// drivers.
#include "io/hdf5.h"

#include "base/arena.h"
#include "base/error.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#define CN_IMAGE_GROWTH ((size_t)1 << 16) // step in which the image grows

struct cn_hdf5_writer {
    hid_t file;
    H5E_auto2_t print;
    void *print_user;
};

cn_status cn_hdf5_create(cn_arena *memory, cn_hdf5_writer **out, cn_error *error) {
    cn_hdf5_writer *writer = CN_TAKE_ZERO(memory, cn_hdf5_writer, 1);
    *out = NULL;
    if (!writer) {
        return cn_fail_memory(error);
    }
    H5Eget_auto2(H5E_DEFAULT, &writer->print, &writer->print_user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    writer->file = -1;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, CN_IMAGE_GROWTH, false) >= 0) {
        // HDF5 takes two images of one name for one file, so the name must be its own.
        char name[64];
        snprintf(name, sizeof name, "cairn-image-%p", (void *)writer);
        writer->file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    H5Pclose(access);
    if (writer->file < 0) {
        cn_hdf5_close(writer);
        return cn_fail(error, CN_ERR_IO, "HDF5 cannot create a file in memory");
    }
    *out = writer;
    return CN_OK;
}

void cn_hdf5_close(cn_hdf5_writer *writer) {
    if (!writer) {
        return;
    }
    if (writer->file >= 0) {
        H5Fclose(writer->file);
    }
    H5Eset_auto2(H5E_DEFAULT, writer->print, writer->print_user);
}

cn_status cn_hdf5_finish(cn_hdf5_writer *writer, cn_arena *memory, const void **bytes, size_t *size,
                         cn_error *error) {
    H5Fflush(writer->file, H5F_SCOPE_GLOBAL);
    ssize_t needed = H5Fget_file_image(writer->file, NULL, 0);
    void *image = needed > 0 ? cn_arena_take(memory, needed, 1) : NULL;
    if (needed > 0 && !image) {
        return cn_fail_memory(error);
    }
    if (needed <= 0 || H5Fget_file_image(writer->file, image, (size_t)needed) != needed) {
        return cn_fail(error, CN_ERR_IO, "HDF5 cannot give the file's image");
    }
    *bytes = image;
    *size = (size_t)needed;
    return CN_OK;
}

static cn_status cn_fail_write(cn_error *error, const char *path) {
    return cn_fail(error, CN_ERR_IO, "%s cannot be written", path);
}

cn_status cn_hdf5_add_group(cn_hdf5_writer *writer, const char *path, cn_error *error) {
    hid_t settings = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(settings, false);
    hid_t group = H5Gcreate2(writer->file, path, H5P_DEFAULT, settings, H5P_DEFAULT);
    H5Pclose(settings);
    if (group < 0) {
        return cn_fail_write(error, path);
    }
    H5Gclose(group);
    return CN_OK;
}

static cn_status cn_hdf5_add(cn_hdf5_writer *writer, const char *path, hid_t space, hid_t type,
                             hid_t memory_type, const void *values, cn_error *error) {
    hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(settings, false);
    hid_t set = H5Dcreate2(writer->file, path, type, space, H5P_DEFAULT, settings, H5P_DEFAULT);
    bool done = set >= 0;
    if (done && H5Sget_simple_extent_npoints(space) > 0) {
        done = H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Pclose(settings);
    return done ? CN_OK : cn_fail_write(error, path);
}

static cn_status cn_hdf5_add_list(cn_hdf5_writer *writer, const char *path, int64_t count,
                                  hid_t type, hid_t memory_type, const void *values,
                                  cn_error *error) {
    hsize_t length = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    cn_status status = cn_hdf5_add(writer, path, space, type, memory_type, values, error);
    H5Sclose(space);
    return status;
}

cn_status cn_hdf5_add_int(cn_hdf5_writer *writer, const char *path, int64_t count,
                          const int32_t *values, cn_error *error) {
    return cn_hdf5_add_list(writer, path, count, H5T_STD_I32LE, H5T_NATIVE_INT32, values, error);
}

cn_status cn_hdf5_add_real(cn_hdf5_writer *writer, const char *path, int64_t count,
                           const double *values, cn_error *error) {
    return cn_hdf5_add_list(writer, path, count, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, error);
}

// A C string type that holds text with its final zero; closed by the caller.
static hid_t cn_text_type(const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    return type;
}

cn_status cn_hdf5_add_text(cn_hdf5_writer *writer, const char *path, const char *text,
                           cn_error *error) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t type = cn_text_type(text);
    cn_status status = cn_hdf5_add(writer, path, space, type, type, text, error);
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

cn_status cn_hdf5_add_mark(cn_hdf5_writer *writer, const char *name, const char *text,
                           cn_error *error) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t type = cn_text_type(text);
    hid_t mark = H5Acreate2(writer->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = mark >= 0 && H5Awrite(mark, type, text) >= 0;
    if (mark >= 0) {
        H5Aclose(mark);
    }
    H5Tclose(type);
    H5Sclose(space);
    return done ? CN_OK : cn_fail_write(error, name);
}
