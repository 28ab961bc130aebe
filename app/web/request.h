// app/web/request.h
// What the page asks for and commands (docs/reference/viewer-protocol.md), read from JSON that anybody may
// have sent: every field is checked here, and nothing else looks at the text.
#ifndef CAIRN_APP_WEB_REQUEST_H
#define CAIRN_APP_WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_SIZE 4096 // the longest that is read [bytes]

typedef enum request_op {
    ASK_HELLO,
    ASK_FRAME,
    ASK_LEDGER,
    ASK_SERIES,
    ASK_ACK,
    ASK_CANCEL,
    DO_PAUSE, // from here on commands, which only a live run takes
    DO_RESUME,
    DO_STEP,
    DO_RESET,
    DO_SPEED,
    DO_GRAVITY,
    DO_FRICTION,
    DO_DRAG,
    DO_RELEASE,
    REQUEST_OPS
} request_op;

typedef struct page_request {
    request_op op;
    uint32_t id;                   // of a question, to be repeated in its answer
    int64_t n;                     // of a command, likewise
    int64_t step, from, to;        // steps
    int64_t bins, points, count;   // how many
    int64_t body;                  // from 0
    double value;                  // speed, friction
    double vector[3];              // gravity
    double point[3], target[3], k; // of the spring
} page_request;

// dim numbers are expected in vectors; bodies: how many there are. false: *why is a static text.
bool request_read(const char *text, size_t size, int32_t dim, int32_t bodies, page_request *out,
                  const char **why);
bool request_is_command(request_op op);

#endif
