// Series over time from text: columns and PEER records, with the place of what is wrong in them.
#include "check.h"

#include "base/arena.h"
#include "io/series.h"

#include <string.h>

static cn_arena *memory;

static cn_status peer(const char *text, const char *unit, io_series *out, cn_error *error) {
    return io_series_read_peer(memory, "record.at2", text, unit, out, error);
}

static cn_status columns(const char *text, int32_t times, int32_t values, io_series *out,
                         cn_error *error) {
    const int32_t column[2] = {times, values};
    return io_series_read_columns(memory, "table.csv", text, column, out, error);
}

CN_TEST(peer_records_have_their_unit_and_interval) {
    memory = cn_arena_create(NULL);
    io_series series;
    CN_CHECK_TRUE(peer("PEER\nby us\nACCELERATION TIME SERIES IN UNITS OF G\n"
                       "NPTS=  5, DT=   .0050 SEC\n  .1000000E-02 -.2E-02  .3E-2\r\n -.4E-02 1\n",
                       NULL, &series, NULL) == CN_OK);
    CN_CHECK_TRUE(series.count == 5 && !series.time);
    CN_CHECK_TRUE(series.quantity == IO_SERIES_ACCELERATION);
    CN_CHECK_NEAR(series.interval, 0.005, 0.0);
    CN_CHECK_NEAR(series.value[0], 9.80665e-3, 1e-18);
    CN_CHECK_NEAR(series.value[4], 9.80665, 0.0);
    // The older heading, and another unit than it says.
    CN_CHECK_TRUE(peer("A\nB\nVELOCITY IN UNITS OF CM/SEC\n  2   .01   NPTS, DT\n1 2", NULL,
                       &series, NULL) == CN_OK);
    CN_CHECK_TRUE(series.quantity == IO_SERIES_VELOCITY && series.count == 2);
    CN_CHECK_NEAR(series.interval, 0.01, 0.0);
    CN_CHECK_NEAR(series.value[1], 0.02, 1e-17);
    CN_CHECK_TRUE(peer("A\nB\nC\nNPTS= 1, DT= 1\n4", "mm", &series, NULL) == CN_OK);
    CN_CHECK_NEAR(series.value[0], 4e-3, 1e-18);
    cn_arena_destroy(memory);
}

CN_TEST(wrong_peer_records_are_named_with_their_place) {
    static const struct {
        const char *text, *message;
        int32_t line, column;
    } wrong[] = {
        {"A\nB\nIN UNITS OF G\nNPTS= 3, DT= .01\n1 2\n", "NPTS says 3 values, and there are 2", 6,
         1},
        {"A\nB\nIN UNITS OF G\nNPTS= 1, DT= .01\n1 2\n", "NPTS says 1 values, and there are more",
         5, 3},
        {"A\nB\nIN UNITS OF G\nNPTS= x, DT= .01\n1\n", "must have NPTS", 4, 7},
        {"A\nB\nIN UNITS OF G\nNPTS= 1.5, DT= .01\n1\n", "must have NPTS", 4, 7},
        {"A\nB\nIN UNITS OF G\nNPTS= 1, DT= 0\n1\n", "must have DT", 4, 14},
        {"A\nB\nIN UNITS OF G\nNPTS= 1\n1\n", "must have DT", 4, 1},
        {"A\nB\nIN UNITS OF FURLONG\nNPTS= 1, DT= 1\n1\n", "unit \"FURLONG\"", 3, 13},
        {"A\nB\nACCELERATION UNITS OF CM\nNPTS= 1, DT= 1\n1\n", "no unit of an acceleration", 3,
         23},
        {"A\nB\nIN UNITS OF G\nNPTS= 2, DT= 1\n1 nan\n", "not a finite number", 5, 3},
        {"A\nB\n", "four lines", 3, 1},
    };
    memory = cn_arena_create(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        io_series series;
        cn_error error = {0};
        CN_CHECK_TRUE(peer(wrong[i].text, NULL, &series, &error) == CN_ERR_INPUT);
        bool right = strstr(error.message, wrong[i].message) && error.line == wrong[i].line &&
                     error.column == wrong[i].column && strcmp(error.file, "record.at2") == 0;
        if (!right) {
            print_error("case %d: %d:%d: %s\n", (int)i, error.line, error.column, error.message);
        }
        CN_CHECK_TRUE(right);
    }
    cn_arena_destroy(memory);
}

CN_TEST(columns_are_chosen_and_headings_skipped) {
    memory = cn_arena_create(NULL);
    io_series series;
    CN_CHECK_TRUE(columns("# by us\ntime, ax, ay\n0, 1, 2\n0.1; 3; 4\n\n0.2\t5 6\n", 1, 3, &series,
                          NULL) == CN_OK);
    CN_CHECK_TRUE(series.count == 3);
    CN_CHECK_NEAR(series.time[2], 0.2, 0.0);
    CN_CHECK_NEAR(series.value[1], 4.0, 0.0);
    cn_error error = {0};
    CN_CHECK_TRUE(columns("0, 1\n0.5, 2\n0.5, 3\n", 1, 2, &series, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "must ascend") && error.line == 3 && error.column == 1);
    CN_CHECK_TRUE(columns("0, 1\n1, oops\n", 1, 2, &series, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "\"oops\"") && error.line == 2 && error.column == 4);
    CN_CHECK_TRUE(columns("0, 1\n1\n", 1, 2, &series, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "no column 2 for the values") && error.line == 2);
    CN_CHECK_TRUE(columns("# nothing\n", 1, 2, &series, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "no numbers") != NULL);
    cn_arena_destroy(memory);
}
