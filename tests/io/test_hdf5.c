// The HDF5 reader, against what HDF5's own library writes in all the forms that we read, and some
// that we refuse by name.
#include "check.h"
#include "failing_allocator.h"

#include "base/arena.h"
#include "base/memory.h"
#include "io/hdf5/hdf5.h"

#include <hdf5.h>
#include <string.h>

// A file in memory made with the library itself.
typedef struct cn_foreign {
    hid_t file;
    base_buffer bytes;
    io_hdf5_image image;
} cn_foreign;

static void cn_foreign_create(cn_foreign *f, bool latest) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    if (latest) {
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    }
    f->file = H5Fcreate("foreign", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    base_buffer_init(&f->bytes, NULL);
}

// Closes the library's side and opens ours.
static void cn_foreign_finish(cn_foreign *f) {
    cn_error error;
    H5Fflush(f->file, H5F_SCOPE_GLOBAL);
    ssize_t size = H5Fget_file_image(f->file, NULL, 0);
    CN_CHECK_TRUE(size > 0);
    for (ssize_t i = 0; i < size; i++) {
        CN_CHECK_TRUE(base_buffer_append(&f->bytes, "", 1));
    }
    assert_int_equal(H5Fget_file_image(f->file, f->bytes.data, (size_t)size), size);
    H5Fclose(f->file);
    assert_int_equal(io_hdf5_open(f->bytes.data, f->bytes.size, &f->image, &error), CN_OK);
}

static void cn_foreign_add(cn_foreign *f, const char *path, hid_t type, hsize_t count,
                           hid_t memory_type, const void *values, hid_t settings) {
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(f->file, path, type, space, H5P_DEFAULT, settings, H5P_DEFAULT);
    CN_CHECK_TRUE(set >= 0);
    if (values) {
        CN_CHECK_TRUE(H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    H5Dclose(set);
    H5Sclose(space);
}

static const int64_t cn_ints[] = {0, 1, -1, 100, -128, 127};

CN_TEST(every_standard_integer_type_is_read) {
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE,
                           H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cn_foreign f;
        cn_error error;
        int64_t got[6];
        double real[6];
        cn_foreign_create(&f, false);
        cn_foreign_add(&f, "/x", types[i], 6, H5T_NATIVE_INT64, cn_ints, H5P_DEFAULT);
        cn_foreign_finish(&f);
        assert_int_equal(io_hdf5_read_int(&f.image, "/x", 6, got, &error), CN_OK);
        assert_int_equal(io_hdf5_read_real(&f.image, "/x", 6, real, &error), CN_OK);
        for (int k = 0; k < 6; k++) {
            assert_int_equal(got[k], cn_ints[k]);
            CN_CHECK_NEAR(real[k], (double)cn_ints[k], 0.0);
        }
        base_buffer_free(&f.bytes);
    }
}

CN_TEST(integers_at_the_ends_of_their_range_are_read) {
    cn_foreign f;
    cn_error error;
    int64_t got[2];
    double real;
    const int64_t ends[] = {INT64_MIN, INT64_MAX};
    const uint64_t top = UINT64_MAX;
    cn_foreign_create(&f, false);
    cn_foreign_add(&f, "/signed", H5T_STD_I64BE, 2, H5T_NATIVE_INT64, ends, H5P_DEFAULT);
    cn_foreign_add(&f, "/unsigned", H5T_STD_U64LE, 1, H5T_NATIVE_UINT64, &top, H5P_DEFAULT);
    cn_foreign_finish(&f);
    assert_int_equal(io_hdf5_read_int(&f.image, "/signed", 2, got, &error), CN_OK);
    CN_CHECK_TRUE(got[0] == INT64_MIN && got[1] == INT64_MAX);
    assert_int_equal(io_hdf5_read_int(&f.image, "/unsigned", 1, got, &error), CN_OK);
    CN_CHECK_TRUE(got[0] == INT64_MAX); // the nearest that we have
    assert_int_equal(io_hdf5_read_real(&f.image, "/unsigned", 1, &real, &error), CN_OK);
    CN_CHECK_NEAR(real, 18446744073709551615.0, 0.0);
    base_buffer_free(&f.bytes);
}

CN_TEST(both_ieee_formats_are_read_in_both_orders) {
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE};
    const double x[] = {0.0, -0.0, 1.5, -3.25e10, 1e-30};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cn_foreign f;
        cn_error error;
        double got[5];
        cn_foreign_create(&f, false);
        cn_foreign_add(&f, "/x", types[i], 5, H5T_NATIVE_DOUBLE, x, H5P_DEFAULT);
        cn_foreign_finish(&f);
        assert_int_equal(io_hdf5_read_real(&f.image, "/x", 5, got, &error), CN_OK);
        for (int k = 0; k < 5; k++) {
            double want = i < 2 ? x[k] : (double)(float)x[k];
            CN_CHECK_TRUE(memcmp(&got[k], &want, sizeof want) == 0);
        }
        base_buffer_free(&f.bytes);
    }
}

// A scalar string dataset.
static void cn_foreign_add_text(cn_foreign *f, const char *path, hid_t type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(f->file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CN_CHECK_TRUE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

CN_TEST(texts_of_fixed_and_variable_length_are_read_as_bytes) {
    const struct {
        const char *path;
        size_t size;
        H5T_str_t padding;
        H5T_cset_t set;
        const char *bytes, *want;
    } cases[] = {{"/null_term", 8, H5T_STR_NULLTERM, H5T_CSET_ASCII, "abc\0zzzz", "abc"},
                 {"/null_pad", 4, H5T_STR_NULLPAD, H5T_CSET_ASCII, "abcd", "abcd"},
                 {"/space_pad", 6, H5T_STR_SPACEPAD, H5T_CSET_ASCII, "a b   ", "a b"},
                 {"/not_utf8", 4, H5T_STR_NULLTERM, H5T_CSET_UTF8, "\xa8\xffz", "\xa8\xffz"}};
    cn_foreign f;
    cn_error error;
    cn_arena *memory = cn_arena_create(NULL);
    const char *text;
    cn_foreign_create(&f, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, cases[i].size);
        H5Tset_strpad(type, cases[i].padding);
        H5Tset_cset(type, cases[i].set);
        cn_foreign_add_text(&f, cases[i].path, type, cases[i].bytes);
        H5Tclose(type);
    }
    hid_t variable = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    const char *long_text = "a text of no fixed length, kept elsewhere";
    const char *other = "second";
    const char *empty = "";
    cn_foreign_add_text(&f, "/variable", variable, &long_text);
    cn_foreign_add_text(&f, "/other", variable, &other);
    cn_foreign_add_text(&f, "/empty", variable, &empty);
    H5Tclose(variable);
    cn_foreign_finish(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(io_hdf5_read_text(&f.image, cases[i].path, memory, &text, &error), CN_OK);
        assert_string_equal(text, cases[i].want);
    }
    assert_int_equal(io_hdf5_read_text(&f.image, "/variable", memory, &text, &error), CN_OK);
    assert_string_equal(text, long_text);
    assert_int_equal(io_hdf5_read_text(&f.image, "/other", memory, &text, &error), CN_OK);
    assert_string_equal(text, other);
    assert_int_equal(io_hdf5_read_text(&f.image, "/empty", memory, &text, &error), CN_OK);
    assert_string_equal(text, "");
    cn_arena_destroy(memory);
    base_buffer_free(&f.bytes);
}

// The same few datasets in groups, in every file form.
static void cn_check_form(bool latest, bool compact) {
    cn_foreign f;
    cn_error error;
    int64_t got[6];
    hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    cn_foreign_create(&f, latest);
    if (compact) {
        H5Pset_layout(settings, H5D_COMPACT);
    }
    H5Gclose(H5Gcreate2(f.file, "/a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(f.file, "/a/b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    cn_foreign_add(&f, "/a/b/x", H5T_STD_I32LE, 6, H5T_NATIVE_INT64, cn_ints, settings);
    cn_foreign_add(&f, "/a/xy", H5T_STD_I16LE, 6, H5T_NATIVE_INT64, cn_ints, settings);
    cn_foreign_add(&f, "/a/nothing", H5T_STD_I32LE, 0, H5T_NATIVE_INT64, NULL, H5P_DEFAULT);
    cn_foreign_finish(&f);
    H5Pclose(settings);
    int64_t count = -1;
    assert_int_equal(io_hdf5_read_int(&f.image, "/a/b/x", 6, got, &error), CN_OK);
    assert_int_equal(got[4], -128);
    assert_int_equal(io_hdf5_read_int(&f.image, "/a/xy", 3, got, &error), CN_OK);
    assert_int_equal(io_hdf5_count(&f.image, "/a/nothing", &count, &error), CN_OK);
    assert_int_equal(count, 0);
    CN_CHECK_TRUE(io_hdf5_exists(&f.image, "/a/b") && !io_hdf5_exists(&f.image, "/a/c"));
    CN_CHECK_TRUE(!io_hdf5_exists(&f.image, "/a/x") && !io_hdf5_exists(&f.image, "/a/xyz"));
    base_buffer_free(&f.bytes);
}

CN_TEST(the_old_and_the_newest_file_forms_are_read) {
    cn_check_form(false, false);
    cn_check_form(true, false);
}

CN_TEST(data_inside_the_header_is_read) {
    cn_check_form(false, true);
    cn_check_form(true, true);
}

CN_TEST(a_group_of_many_members_is_searched_to_its_end) {
    cn_foreign f;
    cn_error error;
    cn_foreign_create(&f, false);
    for (int64_t i = 0; i < 500; i++) {
        char path[16];
        snprintf(path, sizeof path, "/x%d", (int)i);
        cn_foreign_add(&f, path, H5T_STD_I32LE, 1, H5T_NATIVE_INT64, &i, H5P_DEFAULT);
    }
    cn_foreign_finish(&f);
    for (int64_t i = 0; i < 500; i++) {
        char path[16];
        int64_t got = -1;
        snprintf(path, sizeof path, "/x%d", (int)i);
        assert_int_equal(io_hdf5_read_int(&f.image, path, 1, &got, &error), CN_OK);
        assert_int_equal(got, i);
    }
    CN_CHECK_TRUE(!io_hdf5_exists(&f.image, "/x500"));
    base_buffer_free(&f.bytes);
}

// Enough attributes to spread the headers over several blocks; the newest form keeps at most eight
// in the header itself.
static void cn_check_attributes(bool latest, int count) {
    cn_foreign f;
    cn_error error;
    int64_t got;
    hid_t space = H5Screate(H5S_SCALAR);
    cn_foreign_create(&f, latest);
    cn_foreign_add(&f, "/x", H5T_STD_I32LE, 1, H5T_NATIVE_INT64, cn_ints + 3, H5P_DEFAULT);
    hid_t set = H5Dopen2(f.file, "/x", H5P_DEFAULT);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "attribute-%d", i);
        H5Aclose(H5Acreate2(set, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
        H5Aclose(H5Acreate2(f.file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
        cn_foreign_add(&f, name, H5T_STD_I32LE, 1, H5T_NATIVE_INT64, cn_ints, H5P_DEFAULT);
    }
    H5Dclose(set);
    H5Sclose(space);
    cn_foreign_finish(&f);
    assert_int_equal(io_hdf5_read_int(&f.image, "/x", 1, &got, &error), CN_OK);
    assert_int_equal(got, 100);
    char last[32];
    snprintf(last, sizeof last, "attribute-%d", count - 1);
    CN_CHECK_TRUE(io_hdf5_has_mark(&f.image, last));
    CN_CHECK_TRUE(!io_hdf5_has_mark(&f.image, "attribute-x"));
    CN_CHECK_TRUE(!io_hdf5_has_mark(&f.image, "attribute-"));
    base_buffer_free(&f.bytes);
}

CN_TEST(attributes_are_stepped_over_and_marks_found) {
    cn_check_attributes(false, 40);
    cn_check_attributes(true, 6);
}

CN_TEST(an_empty_space_holds_nothing) {
    cn_foreign f;
    cn_error error;
    int64_t count = -1;
    hid_t space = H5Screate(H5S_NULL);
    cn_foreign_create(&f, false);
    H5Dclose(H5Dcreate2(f.file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    cn_foreign_finish(&f);
    assert_int_equal(io_hdf5_count(&f.image, "/x", &count, &error), CN_OK);
    assert_int_equal(count, 0);
    base_buffer_free(&f.bytes);
}

CN_TEST(a_text_that_is_not_there_is_refused) {
    cn_foreign f;
    cn_error error;
    cn_arena *memory = cn_arena_create(NULL);
    const char *text = "kept elsewhere";
    hid_t variable = H5Tcopy(H5T_C_S1);
    H5Tset_size(variable, H5T_VARIABLE);
    cn_foreign_create(&f, false);
    cn_foreign_add_text(&f, "/text", variable, &text);
    cn_foreign_add(&f, "/numbers", H5T_STD_I32LE, 6, H5T_NATIVE_INT64, cn_ints, H5P_DEFAULT);
    H5Tclose(variable);
    cn_foreign_finish(&f);
    assert_int_equal(io_hdf5_read_text(&f.image, "/numbers", memory, &text, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "/numbers does not hold one text");
    unsigned char *heap = memmem(f.bytes.data, f.bytes.size, "GCOL", 4);
    CN_CHECK_TRUE(heap != NULL);
    heap[16] = 77; // the number of the object
    assert_int_equal(io_hdf5_read_text(&f.image, "/text", memory, &text, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "/text is damaged: its text is not where it should be");
    cn_arena_destroy(memory);
    base_buffer_free(&f.bytes);
}

static void cn_check_fails(const cn_foreign *f, const char *path, cn_status status,
                           const char *words) {
    cn_error error;
    double got[8];
    assert_int_equal(io_hdf5_read_real(&f->image, path, 1, got, &error), status);
    if (!strstr(error.message, words)) {
        print_error("got \"%s\", want \"%s\" in it\n", error.message, words);
        fail();
    }
}

CN_TEST(what_is_not_read_is_refused_by_name) {
    cn_foreign f;
    const hsize_t chunk = 2, square_chunk[] = {1, 1};
    const hsize_t square[] = {2, 2};
    const double x[6] = {1, 2, 3, 4, 5, 6};
    cn_foreign_create(&f, false);
    hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunked, 1, &chunk);
    cn_foreign_add(&f, "/chunked_unwritten", H5T_IEEE_F64LE, 6, H5T_NATIVE_DOUBLE, NULL, chunked);
    H5Pset_nbit(chunked);
    cn_foreign_add(&f, "/packed", H5T_IEEE_F64LE, 6, H5T_NATIVE_DOUBLE, x, chunked);
    H5Pclose(chunked);
    hid_t tiled = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(tiled, 2, square_chunk);
    hid_t external = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(external, "other-file", 0, 48);
    cn_foreign_add(&f, "/external", H5T_IEEE_F64LE, 6, H5T_NATIVE_DOUBLE, NULL, external);
    H5Pclose(external);
    cn_foreign_add(&f, "/never_written", H5T_IEEE_F64LE, 6, H5T_NATIVE_DOUBLE, NULL, H5P_DEFAULT);
    H5Lcreate_soft("/packed", f.file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(f.file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t plane = H5Screate_simple(2, square, NULL);
    H5Dclose(
        H5Dcreate2(f.file, "/plane", H5T_IEEE_F64LE, plane, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(f.file, "/tiled", H5T_IEEE_F64LE, plane, H5P_DEFAULT, tiled, H5P_DEFAULT));
    H5Pclose(tiled);
    H5Sclose(plane);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    cn_foreign_add_text(&f, "/text", text, "abc");
    H5Tclose(text);
    cn_foreign_finish(&f);
    cn_check_fails(&f, "/chunked_unwritten", CN_ERR_INPUT, "was never written");
    cn_check_fails(&f, "/tiled", CN_ERR_INPUT, "not a list");
    cn_check_fails(&f, "/packed", CN_ERR_UNSUPPORTED, "not read");
    cn_check_fails(&f, "/external", CN_ERR_UNSUPPORTED, "not read");
    cn_check_fails(&f, "/soft", CN_ERR_UNSUPPORTED, "not read");
    cn_check_fails(&f, "/never_written", CN_ERR_INPUT, "was never written");
    cn_check_fails(&f, "/group", CN_ERR_INPUT, "is not a dataset");
    cn_check_fails(&f, "/plane", CN_ERR_INPUT, "not a list");
    cn_check_fails(&f, "/text", CN_ERR_INPUT, "does not hold numbers");
    cn_check_fails(&f, "/absent", CN_ERR_INPUT, "/absent is missing");
    cn_check_fails(&f, "/group/absent", CN_ERR_INPUT, "is missing");
    base_buffer_free(&f.bytes);
}

#define CHUNKED 1001 // numbers; the last chunk is not full

// A chunked dataset under each filter alone and all together; the newest format indexes chunks in
// other ways: one chunk, none (implicit), an array.
static void check_chunks(bool latest, hsize_t chunk, bool early) {
    static double x[CHUNKED];
    static int64_t n[CHUNKED], whole[CHUNKED];
    static double got[CHUNKED];
    for (int i = 0; i < CHUNKED; i++) {
        n[i] = (i * 7919) % 1000 - 500;
        x[i] = (double)n[i] / 3.0;
    }
    for (int filters = 0; filters < 8; filters++) {
        cn_foreign f;
        cn_error error;
        cn_foreign_create(&f, latest);
        hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(settings, 1, &chunk);
        if (filters & 1) {
            H5Pset_shuffle(settings);
        }
        if (filters & 2) {
            H5Pset_deflate(settings, 6);
        }
        if (filters & 4) {
            H5Pset_fletcher32(settings);
        }
        if (early) {
            H5Pset_alloc_time(settings, H5D_ALLOC_TIME_EARLY);
        }
        cn_foreign_add(&f, "/x", H5T_IEEE_F64BE, CHUNKED, H5T_NATIVE_DOUBLE, x, settings);
        cn_foreign_add(&f, "/n", H5T_STD_I16LE, CHUNKED, H5T_NATIVE_INT64, n, settings);
        H5Pclose(settings);
        cn_foreign_finish(&f);
        int64_t count;
        assert_int_equal(io_hdf5_count(&f.image, "/x", &count, &error), CN_OK);
        assert_int_equal(count, CHUNKED);
        assert_int_equal(io_hdf5_read_real(&f.image, "/x", CHUNKED, got, &error), CN_OK);
        assert_int_equal(io_hdf5_read_int(&f.image, "/n", CHUNKED, whole, &error), CN_OK);
        assert_memory_equal(got, x, sizeof x);
        assert_memory_equal(whole, n, sizeof n);
        memset(got, 0, sizeof got); // the first numbers alone
        assert_int_equal(io_hdf5_read_real(&f.image, "/x", 70, got, &error), CN_OK);
        assert_memory_equal(got, x, 70 * sizeof *x);
        CN_CHECK_TRUE(got[70] == 0.0);
        base_buffer_free(&f.bytes);
    }
}

CN_TEST(chunked_and_compressed_numbers_are_read) {
    check_chunks(false, 64, false);
    check_chunks(false, 5, false); // a tree of several levels
    check_chunks(false, CHUNKED, false);
}

CN_TEST(chunks_of_the_newest_format_are_read) {
    check_chunks(true, 64, false);
    check_chunks(true, CHUNKED, false);
    check_chunks(true, 64, true);
}

// Whatever byte of a compressed file is changed: an answer or an error with text, and no more
// memory than the file can hold.
CN_TEST(damaged_chunks_are_errors) {
    cn_foreign f;
    const hsize_t chunk = 16;
    double x[50], got[50];
    for (int i = 0; i < 50; i++) {
        x[i] = i;
    }
    cn_foreign_create(&f, false);
    hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(settings, 1, &chunk);
    H5Pset_shuffle(settings);
    H5Pset_deflate(settings, 6);
    cn_foreign_add(&f, "/x", H5T_IEEE_F64LE, 50, H5T_NATIVE_DOUBLE, x, settings);
    H5Pclose(settings);
    cn_foreign_finish(&f);
    int refused = 0;
    for (size_t i = 0; i < f.bytes.size; i++) {
        unsigned char before = f.bytes.data[i];
        f.bytes.data[i] = (unsigned char)(before ^ 0x41);
        cn_error error = {0};
        cn_status status = io_hdf5_read_real(&f.image, "/x", 50, got, &error);
        refused += status != CN_OK;
        CN_CHECK_TRUE(status == CN_OK || error.message[0]);
        f.bytes.data[i] = before;
    }
    CN_CHECK_BELOW(50, refused); // at least every second byte of the chunks and of their tree
    assert_int_equal(io_hdf5_read_real(&f.image, "/x", 50, got, NULL), CN_OK);
    base_buffer_free(&f.bytes);
}

CN_TEST(links_into_other_files_are_refused) {
    cn_foreign f;
    cn_foreign_create(&f, true);
    H5Lcreate_external("other-file", "/x", f.file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/elsewhere", f.file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    cn_foreign_finish(&f);
    cn_check_fails(&f, "/elsewhere", CN_ERR_UNSUPPORTED, "not read");
    cn_check_fails(&f, "/soft", CN_ERR_UNSUPPORTED, "not read");
    base_buffer_free(&f.bytes);
}

CN_TEST(links_in_a_heap_are_refused_by_name) {
    cn_foreign f;
    cn_foreign_create(&f, true);
    H5Gclose(H5Gcreate2(f.file, "/a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 20; i++) {
        char path[16];
        snprintf(path, sizeof path, "/a/x%d", i);
        cn_foreign_add(&f, path, H5T_STD_I32LE, 6, H5T_NATIVE_INT64, cn_ints, H5P_DEFAULT);
    }
    cn_foreign_finish(&f);
    cn_check_fails(&f, "/a/x3", CN_ERR_UNSUPPORTED, "/a/x3 is stored in a way that is not read");
    base_buffer_free(&f.bytes);
}

CN_TEST(a_root_that_cannot_be_read_is_refused_at_once) {
    cn_foreign f;
    cn_error error;
    cn_foreign_create(&f, false);
    cn_foreign_add(&f, "/x", H5T_STD_I32LE, 6, H5T_NATIVE_INT64, cn_ints, H5P_DEFAULT);
    cn_foreign_finish(&f);
    unsigned char *leaf = memmem(f.bytes.data, f.bytes.size, "SNOD", 4);
    CN_CHECK_TRUE(leaf != NULL);
    leaf[0] = 'X';
    assert_int_equal(io_hdf5_open(f.bytes.data, f.bytes.size, &f.image, &error), CN_ERR_INPUT);
    assert_string_equal(error.message, "/ is damaged");
    assert_int_equal(io_hdf5_open("text", 4, &f.image, &error), CN_ERR_INPUT);
    base_buffer_free(&f.bytes);
}

// A file of ours: more links than HDF5 puts into a header by itself, an empty list, texts, a mark.
static void cn_write_ours(cn_arena *memory, const void **bytes, size_t *size) {
    const double x[] = {1.0, -2.5e300, 0x1p-1074};
    const int32_t n[] = {0, -1, INT32_MAX, INT32_MIN};
    io_hdf5_writer *writer;
    cn_error error;
    assert_int_equal(io_hdf5_create(memory, &writer, &error), CN_OK);
    assert_int_equal(io_hdf5_add_group(writer, "/g", &error), CN_OK);
    assert_int_equal(io_hdf5_add_group(writer, "/g/deep", &error), CN_OK);
    assert_int_equal(io_hdf5_add_real(writer, "/g/deep/x", 3, x, &error), CN_OK);
    assert_int_equal(io_hdf5_add_int(writer, "/g/n", 4, n, &error), CN_OK);
    assert_int_equal(io_hdf5_add_int(writer, "/g/none", 0, NULL, &error), CN_OK);
    assert_int_equal(io_hdf5_add_text(writer, "/text", "a text", &error), CN_OK);
    assert_int_equal(io_hdf5_add_mark(writer, "mark", "of ours", &error), CN_OK);
    for (int i = 0; i < 40; i++) {
        char path[32];
        snprintf(path, sizeof path, "/g/many%d", i);
        assert_int_equal(io_hdf5_add_int(writer, path, 1, &i, &error), CN_OK);
    }
    assert_int_equal(io_hdf5_add_real(writer, "/absent/x", 3, x, &error), CN_ERR_IO);
    assert_int_equal(io_hdf5_add_real(writer, "/g/n", 3, x, &error), CN_ERR_IO);
    assert_int_equal(io_hdf5_add_real(writer, "/g/n/x", 3, x, &error), CN_ERR_IO);
    assert_int_equal(io_hdf5_add_group(writer, "/g/", &error), CN_ERR_IO);
    assert_int_equal(io_hdf5_finish(writer, memory, bytes, size, &error), CN_OK);
    io_hdf5_close(writer);
}

CN_TEST(equal_content_gives_equal_bytes) {
    cn_arena *memory = cn_arena_create(NULL);
    const void *bytes[2];
    size_t size[2];
    cn_write_ours(memory, &bytes[0], &size[0]);
    cn_write_ours(memory, &bytes[1], &size[1]);
    CN_CHECK_TRUE(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    cn_arena_destroy(memory);
}

static void cn_read_theirs(hid_t file, const char *path, hid_t memory_type, int64_t count,
                           void *values) {
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    CN_CHECK_TRUE(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), count);
    CN_CHECK_TRUE(H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

CN_TEST(hdf5_itself_reads_and_changes_what_we_write) {
    cn_arena *memory = cn_arena_create(NULL);
    const void *bytes;
    size_t size;
    cn_write_ours(memory, &bytes, &size);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    CN_CHECK_TRUE(H5Pset_file_image(access, (void *)bytes, size) >= 0);
    hid_t file = H5Fopen("ours", H5F_ACC_RDWR, access);
    CN_CHECK_TRUE(file >= 0);
    double x[3];
    int32_t n[4], one = 0;
    char text[16] = "";
    cn_read_theirs(file, "/g/deep/x", H5T_NATIVE_DOUBLE, 3, x);
    CN_CHECK_TRUE(x[0] == 1.0 && x[1] == -2.5e300 && x[2] == 0x1p-1074);
    cn_read_theirs(file, "/g/n", H5T_NATIVE_INT32, 4, n);
    CN_CHECK_TRUE(n[0] == 0 && n[1] == -1 && n[2] == INT32_MAX && n[3] == INT32_MIN);
    cn_read_theirs(file, "/g/none", H5T_NATIVE_INT32, 0, n);
    cn_read_theirs(file, "/g/many39", H5T_NATIVE_INT32, 1, &one);
    assert_int_equal(one, 39);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof text);
    cn_read_theirs(file, "/text", type, 1, text);
    assert_string_equal(text, "a text");
    hid_t mark = H5Aopen(file, "mark", H5P_DEFAULT);
    CN_CHECK_TRUE(mark >= 0 && H5Aread(mark, type, text) >= 0);
    assert_string_equal(text, "of ours");
    H5Aclose(mark);
    H5Tclose(type);
    H5G_info_t group;
    CN_CHECK_TRUE(H5Gget_info_by_name(file, "/g", &group, H5P_DEFAULT) >= 0);
    assert_int_equal(group.nlinks, 43);
    hid_t added = H5Gcreate2(file, "/g/added", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CN_CHECK_TRUE(added >= 0 && H5Gclose(added) >= 0);
    CN_CHECK_TRUE(H5Ldelete(file, "/g/n", H5P_DEFAULT) >= 0);
    CN_CHECK_TRUE(H5Fclose(file) >= 0);
    H5Pclose(access);
    cn_arena_destroy(memory);
}

CN_TEST(writing_without_memory_is_an_error) {
    for (int64_t k = 1;; k++) {
        cn_failing failing;
        cn_env env = cn_failing_env(&failing, k);
        cn_arena *memory = cn_arena_create(&env);
        io_hdf5_writer *writer = NULL;
        const void *bytes;
        size_t size;
        double x[4000] = {0.0};
        cn_status status = memory ? io_hdf5_create(memory, &writer, NULL) : CN_ERR_MEMORY;
        status = status == CN_OK ? io_hdf5_add_group(writer, "/g", NULL) : status;
        status = status == CN_OK ? io_hdf5_add_real(writer, "/g/x", 4000, x, NULL) : status;
        status = status == CN_OK ? io_hdf5_add_mark(writer, "mark", "text", NULL) : status;
        status = status == CN_OK ? io_hdf5_finish(writer, memory, &bytes, &size, NULL) : status;
        io_hdf5_close(writer);
        cn_arena_destroy(memory);
        assert_int_equal(status, failing.failed ? CN_ERR_MEMORY : CN_OK);
        assert_int_equal(failing.live, 0);
        if (!failing.failed) {
            CN_CHECK_TRUE(k > 5);
            break;
        }
    }
}
