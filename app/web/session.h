// app/web/session.h
// What the server says to its pages, apart from how it is sent: a run file or a live run on one
// side, connected pages on the other. Bytes come in through page_receive and are taken with
// page_next; everything happens in the server's thread.
#ifndef CAIRN_APP_WEB_SESSION_H
#define CAIRN_APP_WEB_SESSION_H

#include "web/live.h"
#include "web/replay.h"

#define PAGES_MAX 4

// Closing codes of the protocol.
enum { CLOSE_TOKEN = 4001, CLOSE_PAGES = 4002, CLOSE_FLOOD = 4003 };

typedef struct outgoing {
    byte_buffer bytes;
    bool text;
} outgoing;

#define PAGE_ASKS 16 // questions that may wait

typedef struct web_page {
    uint64_t number;
    bool greeted;
    outgoing *queue; // in order; from first on
    int32_t queue_first, queue_count, queue_capacity;
    page_request asks[PAGE_ASKS]; // questions, answered in order
    int32_t ask_count;
    ledger_track series; // as far as the first ask has been read, if it is one
    int64_t series_place;
    int32_t unacknowledged; // live frames under way
    int64_t shown_serial;   // of the live frame sent last
    int64_t rows_sent;      // of a live run's ledger; -1: it has not been asked for
    int64_t frames_sent;
    double rate_start; // [s] of the second that messages are counted in
    int32_t rate_count;
    int32_t close_code; // 0: stays open
} web_page;

typedef struct page_session {
    replay_file *replay;
    live_run *live; // NULL: replay
    bool endless;
    const char *save; // for hello; NULL: the run will not be kept
    web_page *pages[PAGES_MAX];
    int32_t page_count;
    uint64_t pages_so_far;
    live_news news; // what was taken last
    live_row *rows; // of the run so far
    int64_t row_count, row_capacity;
    byte_buffer frame, contacts; // the latest live frame as messages
    int64_t frame_serial;        // counts them
    int32_t resets;
    int64_t flushes;
    bool ended;
} page_session;

void session_free(page_session *session);
// Takes the news of the live run and sends all pages what concerns them. tick: also the figures
// that come ten times per second.
void session_update(page_session *session, bool tick);

// NULL: there are as many as may be.
web_page *page_open(page_session *session);
void page_close(page_session *session, web_page *page);
// A whole text message.
void page_receive(page_session *session, web_page *page, const char *text, size_t size);
// The next message to be sent; false: there is none. out->bytes is to be freed.
bool page_next(page_session *session, web_page *page, outgoing *out);
bool page_has_more(const page_session *session, const web_page *page);

#endif
