// app/web/session.c
// The server's side of docs/reference/viewer-protocol.md; see session.h.
#include "web/session.h"

#include "support/json.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RATE_MAX 200           // messages a second that a page may send
#define QUEUE_MAX 4096         // messages that may wait for a page that does not read
#define ROWS_MAX (1 << 20)     // steps of a live run's ledger kept in memory
#define UNACKNOWLEDGED 1       // live frames under way to a page
#define SERIES_SLICE (4 << 20) // bytes of frames read at a time, so that other pages get answers

// ---- sending ----

static void page_send(web_page *page, byte_buffer bytes, bool text) {
    if (page->queue_count == QUEUE_MAX) {
        page->close_code = CLOSE_FLOOD;
        bytes_free(&bytes);
        return;
    }
    if (page->queue_first + page->queue_count == page->queue_capacity) {
        // Either there is room at the front, or the queue grows.
        if (page->queue_first > 0) {
            memmove(page->queue, page->queue + page->queue_first,
                    sizeof *page->queue * (size_t)page->queue_count);
            page->queue_first = 0;
        }
        if (2 * page->queue_count >= page->queue_capacity) {
            page->queue_capacity = 2 * page->queue_capacity + 8;
            page->queue = reallocate(page->queue, page->queue_capacity, sizeof *page->queue);
        }
    }
    page->queue[page->queue_first + page->queue_count++] = (outgoing){bytes, text};
}

static void page_send_text(web_page *page, const char *text) {
    byte_buffer bytes = {0};
    bytes_put(&bytes, text, strlen(text));
    page_send(page, bytes, true);
}

// What an error is about: a question's id or a command's n.
typedef struct command_error {
    const char *code, *text;
    const char *key; // "id", "n" or NULL
    int64_t number;
} command_error;

static void page_complain(web_page *page, const command_error *trouble) {
    json_text message;
    json_text_start(&message);
    json_writer *json = &message.json;
    put_text(json, "op", "error");
    put_text(json, "code", trouble->code);
    put_text(json, "text", trouble->text);
    if (trouble->key) {
        put_int(json, trouble->key, trouble->number);
    }
    json_text_end(&message);
    page_send_text(page, message.text);
    free(message.text);
}

// ---- greeting ----

static void page_hello(page_session *session, web_page *page) {
    cn_error error = {.status = CN_OK};
    const live_news *news = &session->news;
    hello_live live = {.running = news->running,
                       .speed = news->speed,
                       .friction = news->steering.friction,
                       .until = (double)NAN,
                       .save = session->save,
                       .step = news->step,
                       .t = news->t};
    memcpy(live.gravity, news->steering.gravity, sizeof live.gravity);
    if (!session->endless && session->replay->model) {
        live.until = cn_model_settings(session->replay->model)->until;
    }
    const char *bodies;
    char *hello = NULL;
    cn_status status = replay_hello(session->replay, session->live ? "live" : "replay",
                                    session->live ? &live : NULL, &hello, &error);
    if (status == CN_OK) {
        page_send_text(page, hello);
        free(hello);
        status = replay_bodies(session->replay, &bodies, &error);
    }
    if (status != CN_OK) {
        command_error trouble = {"damaged", error.message, NULL, 0};
        page_complain(page, &trouble);
        return;
    }
    page_send_text(page, bodies);
    byte_buffer index = {0};
    replay_index(session->replay, 0, 0, &index);
    page_send(page, index, false);
    page->greeted = true;
    page->rows_sent = -1;
    page->frames_sent = cn_run_frame_count(session->replay->run);
    page->shown_serial = 0;
    page->unacknowledged = 0;
}

// ---- questions ----

static void page_ask(web_page *page, const page_request *request) {
    if (page->ask_count == PAGE_ASKS) {
        command_error trouble = {"limit", "too many questions are waiting", "id", request->id};
        page_complain(page, &trouble);
        return;
    }
    page->asks[page->ask_count++] = *request;
}

static void page_drop_ask(web_page *page) {
    track_free(&page->series);
    page->series = (ledger_track){0};
    page->series_place = 0;
    page->ask_count--;
    memmove(page->asks, page->asks + 1, sizeof *page->asks * (size_t)page->ask_count);
}

static void page_cancel(web_page *page, uint32_t id) {
    for (int32_t i = 1; i < page->ask_count; i++) { // the first one may be half done
        if (page->asks[i].id == id) {
            page->ask_count--;
            memmove(page->asks + i, page->asks + i + 1,
                    sizeof *page->asks * (size_t)(page->ask_count - i));
            return;
        }
    }
}

static void page_command(page_session *session, web_page *page, const page_request *request,
                         const char *text, size_t size) {
    if (!session->live) {
        command_error trouble = {"read-only", "this is a recording: it cannot be changed", "n",
                                 request->n};
        page_complain(page, &trouble);
        return;
    }
    char *copy = format_text("%.*s", (int)size, text);
    live_send(session->live, request, copy, page->number);
    free(copy);
}

static void page_obey(page_session *session, web_page *page, const page_request *request,
                      const char *text, size_t size) {
    switch (request->op) {
    case ASK_HELLO:
        page_hello(session, page);
        break;
    case ASK_FRAME:
    case ASK_LEDGER:
    case ASK_SERIES:
        page_ask(page, request);
        break;
    case ASK_ACK:
        page->unacknowledged -= page->unacknowledged > 0;
        break;
    case ASK_CANCEL:
        page_cancel(page, request->id);
        break;
    default:
        page_command(session, page, request, text, size);
        break;
    }
}

void page_receive(page_session *session, web_page *page, const char *text, size_t size) {
    double now = wall_clock();
    if (now - page->rate_start >= 1.0) {
        page->rate_start = now;
        page->rate_count = 0;
    }
    if (++page->rate_count > RATE_MAX) {
        page->close_code = CLOSE_FLOOD;
        return;
    }
    page_request request;
    const char *why;
    if (!request_read(text, size, session->replay->dim, session->replay->bodies, &request, &why)) {
        command_error trouble = {"bad-message", why, NULL, 0};
        page_complain(page, &trouble);
        return;
    }
    page_obey(session, page, &request, text, size);
}

// ---- answers ----

static const char *command_error_code(cn_status status) {
    return status == CN_ERR_INPUT ? "damaged" : "failed";
}

static void answer_frame(page_session *session, web_page *page) {
    byte_buffer frame = {0}, contacts = {0};
    cn_error error = {.status = CN_OK};
    uint32_t id = page->asks[0].id;
    int64_t place = replay_find(session->replay, page->asks[0].step);
    page_drop_ask(page);
    if (place < 0) {
        command_error trouble = {"no-frame", "there is no frame at or before this step", "id", id};
        page_complain(page, &trouble);
        return;
    }
    cn_status status = replay_frame(session->replay, place, id, &frame, &contacts, &error);
    if (status != CN_OK) {
        command_error trouble = {command_error_code(status), error.message, "id", id};
        page_complain(page, &trouble);
        return;
    }
    page_send(page, frame, false);
    page_send(page, contacts, false);
}

// A live run's ledger is in memory: the file has it only once it is flushed.
static void ledger_of_rows(const page_session *session, const page_request *request,
                           byte_buffer *out) {
    int64_t first = session->row_count > 0 ? session->rows[0].step : 1;
    int64_t last = session->row_count > 0 ? session->rows[session->row_count - 1].step : 0;
    int64_t from = request->from > first ? request->from : first,
            to = request->to < last ? request->to : last;
    ledger_bins bins = ledger_bins_start(from, to, request->bins);
    for (int64_t i = 0; i < session->row_count; i++) {
        const live_row *row = &session->rows[i];
        if (row->step >= from && row->step <= to) {
            ledger_bins_add(&bins, row->step, row->t, row->row);
        }
    }
    message_ledger(out, request->id, session->replay->dim, &bins);
    ledger_bins_free(&bins);
}

static void answer_ledger(page_session *session, web_page *page) {
    const page_request *request = &page->asks[0];
    byte_buffer out = {0};
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    if (session->live) {
        ledger_of_rows(session, request, &out);
        page->rows_sent = session->row_count; // from here on it is sent what is new
    } else {
        status = replay_ledger(session->replay, request->id, request->from, request->to,
                               request->bins, &out, &error);
    }
    if (status == CN_OK) {
        page_send(page, out, false);
    } else {
        command_error trouble = {command_error_code(status), error.message, "id", request->id};
        page_complain(page, &trouble);
    }
    page_drop_ask(page);
}

// Reads a slice of a body's way; sends it when the last frame has been read.
static void answer_track(page_session *session, web_page *page) {
    const page_request *request = &page->asks[0];
    replay_file *replay = session->replay;
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    int32_t pose = replay->dim == 3 ? 7 : 3, size = replay->dim == 3 ? 6 : 3;
    int64_t frames = cn_run_frame_count(replay->run);
    int64_t stride = (frames + request->points - 1) / request->points;
    int64_t each = (int64_t)sizeof(double) * (pose + size) * replay->bodies, read = 0;
    while (status == CN_OK && page->series_place < frames && read < SERIES_SLICE) {
        int64_t step, place = page->series_place;
        double t;
        status = cn_run_frame(replay->run, place, &step, &t, replay->q, replay->v, &error);
        if (status == CN_OK) {
            track_add(&page->series, replay->dim, step, t, replay->q + pose * request->body,
                      replay->v + size * request->body);
        }
        read += each;
        bool skips_last = place + stride >= frames && place < frames - 1;
        page->series_place = skips_last ? frames - 1 : place + stride;
    }
    if (status != CN_OK) {
        command_error trouble = {command_error_code(status), error.message, "id", request->id};
        page_complain(page, &trouble);
        page_drop_ask(page);
    } else if (page->series_place >= frames) {
        byte_buffer out = {0};
        message_track(&out, request->id, replay->dim, &page->series);
        page_send(page, out, false);
        page_drop_ask(page);
    }
}

static void page_answer(page_session *session, web_page *page) {
    switch (page->asks[0].op) {
    case ASK_FRAME:
        answer_frame(session, page);
        break;
    case ASK_LEDGER:
        answer_ledger(session, page);
        break;
    default:
        answer_track(session, page);
        break;
    }
}

static bool page_wants_live(const page_session *session, const web_page *page) {
    return session->live && page->greeted && page->shown_serial != session->frame_serial &&
           page->unacknowledged < UNACKNOWLEDGED;
}

static void answer_live(page_session *session, web_page *page) {
    byte_buffer frame = {0}, contacts = {0};
    bytes_put(&frame, session->frame.data, session->frame.size);
    bytes_put(&contacts, session->contacts.data, session->contacts.size);
    page_send(page, frame, false);
    page_send(page, contacts, false);
    page->shown_serial = session->frame_serial;
    page->unacknowledged++;
}

bool page_has_more(const page_session *session, const web_page *page) {
    return page->queue_count > 0 || page->ask_count > 0 || page_wants_live(session, page);
}

// Answers are made only when the page can take them: what is overtaken meanwhile is never made.
bool page_next(page_session *session, web_page *page, outgoing *out) {
    if (page->queue_count == 0 && page_wants_live(session, page)) {
        answer_live(session, page);
    } else if (page->queue_count == 0 && page->ask_count > 0) {
        page_answer(session, page);
    }
    if (page->queue_count == 0) {
        return false;
    }
    *out = page->queue[page->queue_first++];
    page->queue_count--;
    return true;
}

// ---- pages ----

web_page *page_open(page_session *session) {
    if (session->page_count == PAGES_MAX) {
        return NULL;
    }
    web_page *page = ALLOCATE(web_page, 1);
    page->number = ++session->pages_so_far;
    page->rate_start = wall_clock();
    session->pages[session->page_count++] = page;
    return page;
}

void page_close(page_session *session, web_page *page) {
    for (int32_t i = 0; i < session->page_count; i++) {
        if (session->pages[i] == page) {
            session->pages[i] = session->pages[--session->page_count];
            break;
        }
    }
    for (int32_t i = 0; i < page->queue_count; i++) {
        bytes_free(&page->queue[page->queue_first + i].bytes);
    }
    track_free(&page->series);
    free(page->queue);
    free(page);
}

void session_free(page_session *session) {
    while (session->page_count > 0) {
        page_close(session, session->pages[0]);
    }
    live_news_free(&session->news);
    bytes_free(&session->frame);
    bytes_free(&session->contacts);
    free(session->rows);
}

// ---- live news ----

static web_page *session_page(const page_session *session, uint64_t number) {
    for (int32_t i = 0; i < session->page_count; i++) {
        if (session->pages[i]->number == number) {
            return session->pages[i];
        }
    }
    return NULL;
}

static void session_replies(page_session *session) {
    for (int32_t i = 0; i < session->news.reply_count; i++) {
        const live_reply *reply = &session->news.replies[i];
        web_page *page = session_page(session, reply->page);
        if (page && reply->problem) {
            command_error trouble = {"failed", reply->problem, "n", reply->n};
            page_complain(page, &trouble);
        } else if (page) {
            char *text = format_text("{\"op\":\"done\",\"n\":%lld}", (long long)reply->n);
            page_send_text(page, text);
            free(text);
        }
    }
}

static void session_report(page_session *session, const char *text) {
    for (int32_t i = 0; i < session->page_count; i++) {
        if (session->pages[i]->greeted) {
            page_send_text(session->pages[i], text);
        }
    }
}

static void session_events(page_session *session) {
    for (int32_t i = 0; session->page_count > 0 && i < session->news.event_count; i++) {
        const live_event *event = &session->news.events[i];
        json_text message;
        json_text_start(&message);
        json_writer *json = &message.json;
        put_text(json, "op", "event");
        put_int(json, "step", event->step);
        put_real(json, "t", event->t);
        put_text(json, "text", event->text);
        json_text_end(&message);
        session_report(session, message.text);
        free(message.text);
    }
}

// The older half of a long run's rows is let go; the run file has them.
static void session_clear_rows(page_session *session) {
    int64_t gone = session->row_count / 2;
    session->row_count -= gone;
    memmove(session->rows, session->rows + gone,
            sizeof *session->rows * (size_t)session->row_count);
    for (int32_t i = 0; i < session->page_count; i++) {
        web_page *page = session->pages[i];
        page->rows_sent = page->rows_sent > gone ? page->rows_sent - gone
                          : page->rows_sent >= 0 ? 0
                                                 : -1;
    }
}

static void session_rows(page_session *session) {
    const live_news *news = &session->news;
    if (session->row_count > ROWS_MAX) {
        session_clear_rows(session);
    }
    if (session->row_count + news->row_count > session->row_capacity) {
        session->row_capacity = 2 * (session->row_count + news->row_count);
        session->rows = reallocate(session->rows, session->row_capacity, sizeof *session->rows);
    }
    if (news->row_count > 0) {
        memcpy(session->rows + session->row_count, news->rows,
               sizeof *session->rows * (size_t)news->row_count);
    }
    session->row_count += news->row_count;
}

static void session_frame(page_session *session) {
    const live_frame *frame = &session->news.frame;
    const replay_file *replay = session->replay;
    message_head head = {0, frame->step, frame->t};
    if (!session->news.has_frame) {
        return;
    }
    session->frame.size = session->contacts.size = 0;
    session->frame_serial++;
    const message_joints joints = {frame->joints, frame->joint_count, 1.0};
    message_frame(&session->frame, &head, replay->dim, replay->bodies, replay->unturned, frame->q,
                  frame->v, &joints, &frame->soft);
    message_contacts(&session->contacts, &head, replay->dim, replay->h, frame->contacts,
                     frame->contact_count);
}

// Steps and recorded frames that a page has not been sent.
static void page_catch_up(page_session *session, web_page *page) {
    if (page->rows_sent >= 0 && page->rows_sent < session->row_count) {
        byte_buffer out = {0};
        const live_row *rows = session->rows + page->rows_sent;
        int64_t count = session->row_count - page->rows_sent;
        ledger_bins bins = ledger_bins_start(rows[0].step, rows[count - 1].step, count);
        for (int64_t i = 0; i < count; i++) {
            ledger_bins_add(&bins, rows[i].step, rows[i].t, rows[i].row);
        }
        message_ledger(&out, 0, session->replay->dim, &bins);
        ledger_bins_free(&bins);
        page_send(page, out, false);
        page->rows_sent = session->row_count;
    }
    int64_t frames = cn_run_frame_count(session->replay->run);
    if (page->frames_sent < frames) {
        byte_buffer index = {0};
        replay_index(session->replay, 0, page->frames_sent, &index);
        page_send(page, index, false);
        page->frames_sent = frames;
    }
}

static void session_figures(page_session *session) {
    const live_news *news = &session->news;
    json_text message;
    json_text_start(&message);
    json_writer *json = &message.json;
    put_text(json, "op", "live");
    put_int(json, "step", news->step);
    put_real(json, "t", news->t);
    put_bool(json, "running", news->running);
    put_real(json, "factor", news->factor);
    put_int(json, "iterations", news->iterations);
    put_real(json, "solve_ms", news->solve_ms);
    put_int(json, "dropped", news->dropped);
    put_real(json, "speed", news->speed);
    put_open(json, "gravity", '[');
    for (int32_t k = 0; k < session->replay->dim; k++) {
        put_real(json, NULL, news->steering.gravity[k]);
    }
    put_close(json, ']');
    put_real(json, "friction", news->steering.friction);
    json_text_end(&message);
    session_report(session, message.text);
    free(message.text);
}

// The run has started over: nothing of what pages know holds.
static void session_restart(page_session *session) {
    session->row_count = 0;
    session->frame.size = session->contacts.size = 0;
    session->resets = session->news.resets;
    for (int32_t i = 0; i < session->page_count; i++) {
        if (session->pages[i]->greeted) {
            page_hello(session, session->pages[i]);
        }
    }
}

void session_update(page_session *session, bool tick) {
    cn_error ignored;
    if (!session->live) {
        return;
    }
    live_take(session->live, &session->news);
    bool restarted = session->news.resets != session->resets;
    if (restarted || session->news.flushes != session->flushes) {
        replay_refresh(session->replay, &ignored);
        session->flushes = session->news.flushes;
    }
    if (restarted) {
        session_restart(session);
    }
    session_rows(session);
    session_frame(session);
    session_replies(session);
    session_events(session);
    if (tick) {
        session_figures(session);
        for (int32_t i = 0; i < session->page_count; i++) {
            if (session->pages[i]->greeted) {
                page_catch_up(session, session->pages[i]);
            }
        }
    }
    if (session->news.ended && !session->ended) {
        session->ended = true;
        session_report(session, "{\"op\":\"end\",\"text\":\"The run is over. What was recorded can "
                                "still be looked at.\"}");
    }
}
