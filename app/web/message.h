// app/web/message.h
// The binary messages between the page and its server (docs/viewer-protocol.md). Each function
// appends one whole message, header included.
#ifndef CAIRN_APP_WEB_MESSAGE_H
#define CAIRN_APP_WEB_MESSAGE_H

#include "support/bytes.h"

#include <cairn/cairn.h>

#define CN_MESSAGE_HEADER 32

// Flags of a header.
enum { CN_MESSAGE_FLAT = 1, CN_MESSAGE_UNTURNED = 8 };

// What a message answers and when it was.
typedef struct cn_message_head {
    uint32_t id; // of the request; 0: none
    int64_t step;
    double t;
} cn_message_head;

// bodies' poses q and velocities v as a run file has them; unturned: orientations are left out.
void cn_message_frame(cn_bytes *out, const cn_message_head *head, int32_t dim, int32_t bodies,
                      bool unturned, const double *q, const double *v);
// h [s]: what makes forces of impulses.
void cn_message_contacts(cn_bytes *out, const cn_message_head *head, int32_t dim, double h,
                         const cn_contact_record *contacts, int32_t count);
void cn_message_index(cn_bytes *out, uint32_t id, const int64_t *steps, const double *times,
                      int64_t count);

// ---- the ledger ----

// The columns of the page's ledger, in order; works and dissipations summed from the start.
#define CN_LEDGER_COLUMNS 22
extern const char *const cn_ledger_columns[CN_LEDGER_COLUMNS];

// Sums over the steps so far, and the row that they make of the next one.
typedef struct cn_ledger_sums {
    double energy_initial, correction; // [J]
    double work, joints, friction, impact, numerical;
} cn_ledger_sums;
void cn_ledger_row(cn_ledger_sums *sums, const cn_step_report *report,
                   double row[CN_LEDGER_COLUMNS]);

// Rows gathered into bins of equal numbers of steps: smallest and largest value of each column.
typedef struct cn_ledger_bins {
    int64_t from, to; // steps
    int64_t width;    // rows a bin
    int64_t rows, count;
    double *t, *low, *high; // low and high: CN_LEDGER_COLUMNS a bin
    int64_t *step;
    int64_t capacity;
} cn_ledger_bins;
cn_ledger_bins cn_ledger_bins_start(int64_t from, int64_t to, int64_t bins);
void cn_ledger_bins_add(cn_ledger_bins *bins, int64_t step, double t,
                        const double row[CN_LEDGER_COLUMNS]);
void cn_ledger_bins_free(cn_ledger_bins *bins);
void cn_message_ledger(cn_bytes *out, uint32_t id, int32_t dim, const cn_ledger_bins *bins);

// ---- one body through time ----

typedef struct cn_track {
    int64_t count, capacity;
    double *t, *q, *v; // 7 (2D: 3) and 6 (2D: 3) each
    int64_t *step;
} cn_track;
void cn_track_add(cn_track *series, int32_t dim, int64_t step, double t, const double *q,
                  const double *v);
void cn_track_free(cn_track *series);
void cn_message_track(cn_bytes *out, uint32_t id, int32_t dim, const cn_track *series);

#endif
