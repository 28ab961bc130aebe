// app/web/message.h
// The binary messages between the page and its server (docs/reference/viewer-protocol.md). Each function
// appends one whole message, header included.
#ifndef CAIRN_APP_WEB_MESSAGE_H
#define CAIRN_APP_WEB_MESSAGE_H

#include "support/bytes.h"

#include <cairn/cairn.h>

#define MESSAGE_HEADER 32

// Flags of a header.
enum { MESSAGE_FLAT = 1, MESSAGE_UNTURNED = 8, MESSAGE_JOINTS = 32, MESSAGE_NODES = 64 };

// What a message answers and when it was.
typedef struct message_head {
    uint32_t id; // of the request; 0: none
    int64_t step;
    double t;
} message_head;

// Joints of a frame and the step h [s] that makes forces of impulses.
typedef struct message_joints {
    const cn_joint_record *row;
    int32_t count;
    double h;
} message_joints;

// Deformable bodies of a frame: places of nodes in the world, dim each, and stresses of elements, 6 each.
typedef struct message_soft {
    const double *x, *stress;
    int64_t nodes, elements;
} message_soft;

// bodies' poses q and velocities v as a run file has them; unturned: orientations are left out.
void message_frame(byte_buffer *out, const message_head *head, int32_t dim, int32_t bodies,
                   bool unturned, const double *q, const double *v, const message_joints *joints,
                   const message_soft *soft);
// h [s]: what makes forces of impulses.
void message_contacts(byte_buffer *out, const message_head *head, int32_t dim, double h,
                      const cn_contact_record *contacts, int32_t count);
void message_index(byte_buffer *out, uint32_t id, const int64_t *steps, const double *times,
                   int64_t count);

// ---- the ledger ----

// The columns of the page's ledger, in order; works and dissipations summed from the start.
#define COUNT_I +1
#define COUNT_R +1
#define COUNT_O +1
#define COUNT_S +0
#define COUNT(name, kind) COUNT_##kind
#define LEDGER_COLUMNS (1 CN_LEDGER_VALUES(COUNT))
extern const char *const ledger_columns[LEDGER_COLUMNS];

// Sums over the steps so far, and the row that they make of the next one.
typedef struct ledger_sums {
    double energy_initial, correction; // [J]
    double work, joints, friction, impact, numerical, viscous, plastic, fracture;
} ledger_sums;
void ledger_row(ledger_sums *sums, const cn_step_report *report, double out[LEDGER_COLUMNS]);

// Rows gathered into bins of equal numbers of steps: smallest and largest value of each column.
typedef struct ledger_bins {
    int64_t from, to; // steps
    int64_t width;    // rows a bin
    int64_t rows, count;
    double *t, *low, *high; // low and high: LEDGER_COLUMNS a bin
    int64_t *step;
    int64_t capacity;
} ledger_bins;
ledger_bins ledger_bins_start(int64_t from, int64_t to, int64_t bins);
void ledger_bins_add(ledger_bins *bins, int64_t step, double t, const double row[LEDGER_COLUMNS]);
void ledger_bins_free(ledger_bins *bins);
void message_ledger(byte_buffer *out, uint32_t id, int32_t dim, const ledger_bins *bins);

// ---- one body through time ----

typedef struct ledger_track {
    int64_t count, capacity;
    double *t, *q, *v; // 7 (2D: 3) and 6 (2D: 3) each
    int64_t *step;
} ledger_track;
void track_add(ledger_track *series, int32_t dim, int64_t step, double t, const double *q,
               const double *v);
void track_free(ledger_track *series);
void message_track(byte_buffer *out, uint32_t id, int32_t dim, const ledger_track *series);

#endif
