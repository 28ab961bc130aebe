// app/web/request.h
// What the page asks for and commands (docs/viewer-protocol.md), read from JSON that anybody may
// have sent: every field is checked here, and nothing else looks at the text.
#ifndef CAIRN_APP_WEB_REQUEST_H
#define CAIRN_APP_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_REQUEST_SIZE 4096 // the longest that is read [bytes]

typedef enum cn_request_op {
    CN_ASK_HELLO,
    CN_ASK_FRAME,
    CN_ASK_LEDGER,
    CN_ASK_SERIES,
    CN_ASK_ACK,
    CN_ASK_CANCEL,
    CN_DO_PAUSE, // from here on commands, which only a live run takes
    CN_DO_RESUME,
    CN_DO_STEP,
    CN_DO_RESET,
    CN_DO_SPEED,
    CN_DO_GRAVITY,
    CN_DO_FRICTION,
    CN_DO_DRAG,
    CN_DO_RELEASE,
    CN_REQUEST_OPS
} cn_request_op;

typedef struct cn_request {
    cn_request_op op;
    uint32_t id;                   // of a question, to be repeated in its answer
    int64_t n;                     // of a command, likewise
    int64_t step, from, to;        // steps
    int64_t bins, points, count;   // how many
    int64_t body;                  // from 0
    double value;                  // speed, friction
    double vector[3];              // gravity
    double point[3], target[3], k; // of the spring
} cn_request;

// dim numbers are expected in vectors; bodies: how many there are. false: *why is a static text.
bool cn_request_read(const char *text, size_t size, int32_t dim, int32_t bodies, cn_request *out,
                     const char **why);
bool cn_request_is_command(cn_request_op op);

#endif
