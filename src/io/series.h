// io/series.h
// Series of numbers over time from text: columns separated by commas, and accelerograms as the PEER
// database has them (.AT2, .VT2, .DT2).
//
// Errors name file, line and column. Arrays go to memory.
#ifndef CAIRN_IO_SERIES_H
#define CAIRN_IO_SERIES_H

#include <cairn/base.h>

#define IO_SERIES_MAX 10000000 // points

typedef enum io_series_quantity {
    IO_SERIES_ANY, // the file does not say
    IO_SERIES_ACCELERATION,
    IO_SERIES_VELOCITY,
    IO_SERIES_DISPLACEMENT
} io_series_quantity;
const char *io_series_quantity_text(io_series_quantity quantity);

typedef struct io_series {
    double *time; // NULL: interval apart, from 0
    double *value;
    int32_t count;
    double interval;
    io_series_quantity quantity;
} io_series;

// Columns, from 1, of times and values; cells are separated by commas, semicolons, blanks or tabs.
// Lines that are blank or begin with '#' are skipped, and so is a first line that begins with no
// number. Times must ascend.
cn_status io_series_read_columns(cn_arena *memory, const char *file, const char *text,
                                 const int32_t column[2], io_series *out, cn_error *error);

// Four lines of heading, the third with the quantity and its unit, the fourth with NPTS and DT,
// then as many values, any number per line. Values become SI units; unit: instead of the heading's,
// NULL: none.
cn_status io_series_read_peer(cn_arena *memory, const char *file, const char *text,
                              const char *unit, io_series *out, cn_error *error);

// What a unit is in SI, as g, cm/s2, mm; false: it is not known.
bool io_series_unit(const char *unit, double *factor, io_series_quantity *quantity);

#endif
