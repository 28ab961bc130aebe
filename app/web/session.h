// app/web/session.h
// What the server says to its pages, apart from how it is sent: a run file or a live run on one
// side, connected pages on the other. Bytes come in through cn_page_receive and are taken with
// cn_page_next; everything happens in the server's thread.
#ifndef CAIRN_APP_WEB_SESSION_H
#define CAIRN_APP_WEB_SESSION_H

#include "web/live.h"
#include "web/replay.h"

#define CN_PAGES_MOST 4

// Closing codes of the protocol.
enum { CN_CLOSE_TOKEN = 4001, CN_CLOSE_PAGES = 4002, CN_CLOSE_FLOOD = 4003 };

typedef struct cn_outgoing {
    cn_bytes bytes;
    bool text;
} cn_outgoing;

#define CN_PAGE_ASKS 16 // questions that may wait

typedef struct cn_page {
    uint64_t number;
    bool greeted;
    cn_outgoing *queue; // in order; from first on
    int32_t queue_first, queue_count, queue_capacity;
    cn_request asks[CN_PAGE_ASKS]; // questions, answered in order
    int32_t ask_count;
    cn_track series; // as far as the first ask has been read, if it is one
    int64_t series_place;
    int32_t unacknowledged; // live frames under way
    int64_t shown_serial;   // of the live frame sent last
    int64_t rows_told;      // of a live run's ledger; -1: it has not been asked for
    int64_t frames_told;
    double rate_start; // [s] of the second that messages are counted in
    int32_t rate_count;
    int32_t close_code; // 0: stays open
} cn_page;

typedef struct cn_stage {
    cn_show *show;
    cn_live *live; // NULL: replay
    bool endless;
    const char *save; // for hello; NULL: the run will not be kept
    cn_page *pages[CN_PAGES_MOST];
    int32_t page_count;
    uint64_t pages_so_far;
    cn_live_news news; // what was taken last
    cn_live_row *rows; // of the run so far
    int64_t row_count, row_capacity;
    cn_bytes frame, contacts; // the latest live frame as messages
    int64_t frame_serial;     // counts them
    int32_t resets;
    int64_t flushes;
    bool ended;
} cn_stage;

void cn_stage_free(cn_stage *stage);
// Takes the news of the live run and tells all pages what concerns them. tick: also the figures
// that come ten times a second.
void cn_stage_update(cn_stage *stage, bool tick);

// NULL: there are as many as may be.
cn_page *cn_page_open(cn_stage *stage);
void cn_page_close(cn_stage *stage, cn_page *page);
// A whole text message.
void cn_page_receive(cn_stage *stage, cn_page *page, const char *text, size_t size);
// The next message to be sent; false: there is none. out->bytes is to be freed.
bool cn_page_next(cn_stage *stage, cn_page *page, cn_outgoing *out);
bool cn_page_has_more(const cn_stage *stage, const cn_page *page);

#endif
