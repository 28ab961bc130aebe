// app/web/session.c
// The server's side of docs/viewer-protocol.md; see session.h.
#include "web/session.h"

#include "support/json.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_RATE_MOST 200          // messages a second that a page may send
#define CN_QUEUE_MOST 4096        // messages that may wait for a page that does not read
#define CN_ROWS_MOST (1 << 20)    // steps of a live run's ledger kept in memory
#define CN_UNACKNOWLEDGED 1       // live frames under way to a page
#define CN_SERIES_SLICE (4 << 20) // bytes of frames read at a time, so that other pages get answers

// ---- sending ----

static void cn_page_send(cn_page *page, cn_bytes bytes, bool text) {
    if (page->queue_count == CN_QUEUE_MOST) {
        page->close_code = CN_CLOSE_FLOOD;
        cn_bytes_free(&bytes);
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
            page->queue = cn_reallocate(page->queue, page->queue_capacity, sizeof *page->queue);
        }
    }
    page->queue[page->queue_first + page->queue_count++] = (cn_outgoing){bytes, text};
}

static void cn_page_send_text(cn_page *page, const char *text) {
    cn_bytes bytes = {0};
    cn_bytes_put(&bytes, text, strlen(text));
    cn_page_send(page, bytes, true);
}

// What an error is about: a question's id or a command's n.
typedef struct cn_trouble {
    const char *code, *text;
    const char *key; // "id", "n" or NULL
    int64_t number;
} cn_trouble;

static void cn_page_complain(cn_page *page, const cn_trouble *trouble) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return;
    }
    cn_json json = cn_put_start(out);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "op", "error");
    cn_put_text(&json, "code", trouble->code);
    cn_put_text(&json, "text", trouble->text);
    if (trouble->key) {
        cn_put_int(&json, trouble->key, trouble->number);
    }
    cn_put_close(&json, '}');
    fclose(out);
    cn_page_send_text(page, text);
    free(text);
}

// ---- greeting ----

static void cn_page_hello(cn_stage *stage, cn_page *page) {
    cn_error error = {.status = CN_OK};
    const cn_live_news *news = &stage->news;
    cn_show_live live = {.running = news->running,
                         .speed = news->speed,
                         .friction = news->steering.friction,
                         .until = (double)NAN,
                         .save = stage->save,
                         .step = news->step,
                         .t = news->t};
    memcpy(live.gravity, news->steering.gravity, sizeof live.gravity);
    if (!stage->endless && stage->show->model) {
        live.until = cn_model_settings(stage->show->model)->until;
    }
    const char *bodies;
    char *hello =
        cn_show_hello(stage->show, stage->live ? "live" : "replay", stage->live ? &live : NULL);
    cn_page_send_text(page, hello);
    free(hello);
    if (cn_show_bodies(stage->show, &bodies, &error) != CN_OK) {
        cn_trouble trouble = {"damaged", error.message, NULL, 0};
        cn_page_complain(page, &trouble);
        return;
    }
    cn_page_send_text(page, bodies);
    cn_bytes index = {0};
    cn_show_index(stage->show, 0, 0, &index);
    cn_page_send(page, index, false);
    page->greeted = true;
    page->rows_told = -1;
    page->frames_told = cn_run_frame_count(stage->show->run);
    page->shown_serial = 0;
    page->unacknowledged = 0;
}

// ---- questions ----

static void cn_page_ask(cn_page *page, const cn_request *request) {
    if (page->ask_count == CN_PAGE_ASKS) {
        cn_trouble trouble = {"limit", "too many questions are waiting", "id", request->id};
        cn_page_complain(page, &trouble);
        return;
    }
    page->asks[page->ask_count++] = *request;
}

static void cn_page_drop_ask(cn_page *page) {
    cn_track_free(&page->series);
    page->series = (cn_track){0};
    page->series_place = 0;
    page->ask_count--;
    memmove(page->asks, page->asks + 1, sizeof *page->asks * (size_t)page->ask_count);
}

static void cn_page_cancel(cn_page *page, uint32_t id) {
    for (int32_t i = 1; i < page->ask_count; i++) { // the first one may be half done
        if (page->asks[i].id == id) {
            page->ask_count--;
            memmove(page->asks + i, page->asks + i + 1,
                    sizeof *page->asks * (size_t)(page->ask_count - i));
            return;
        }
    }
}

static void cn_page_command(cn_stage *stage, cn_page *page, const cn_request *request,
                            const char *text, size_t size) {
    if (!stage->live) {
        cn_trouble trouble = {"read-only", "this is a recording: it cannot be changed", "n",
                              request->n};
        cn_page_complain(page, &trouble);
        return;
    }
    char *copy = cn_text("%.*s", (int)size, text);
    cn_live_send(stage->live, request, copy, page->number);
    free(copy);
}

static void cn_page_obey(cn_stage *stage, cn_page *page, const cn_request *request,
                         const char *text, size_t size) {
    switch (request->op) {
    case CN_ASK_HELLO:
        cn_page_hello(stage, page);
        break;
    case CN_ASK_FRAME:
    case CN_ASK_LEDGER:
    case CN_ASK_SERIES:
        cn_page_ask(page, request);
        break;
    case CN_ASK_ACK:
        page->unacknowledged -= page->unacknowledged > 0;
        break;
    case CN_ASK_CANCEL:
        cn_page_cancel(page, request->id);
        break;
    default:
        cn_page_command(stage, page, request, text, size);
        break;
    }
}

void cn_page_receive(cn_stage *stage, cn_page *page, const char *text, size_t size) {
    double now = cn_wall_clock();
    if (now - page->rate_start >= 1.0) {
        page->rate_start = now;
        page->rate_count = 0;
    }
    if (++page->rate_count > CN_RATE_MOST) {
        page->close_code = CN_CLOSE_FLOOD;
        return;
    }
    cn_request request;
    const char *why;
    if (!cn_request_read(text, size, stage->show->dim, stage->show->bodies, &request, &why)) {
        cn_trouble trouble = {"bad-message", why, NULL, 0};
        cn_page_complain(page, &trouble);
        return;
    }
    cn_page_obey(stage, page, &request, text, size);
}

// ---- answers ----

static const char *cn_trouble_code(cn_status status) {
    return status == CN_ERR_INPUT ? "damaged" : "failed";
}

static void cn_answer_frame(cn_stage *stage, cn_page *page) {
    cn_bytes frame = {0}, contacts = {0};
    cn_error error = {.status = CN_OK};
    uint32_t id = page->asks[0].id;
    int64_t place = cn_show_find(stage->show, page->asks[0].step);
    cn_page_drop_ask(page);
    if (place < 0) {
        cn_trouble trouble = {"no-frame", "there is no frame at or before this step", "id", id};
        cn_page_complain(page, &trouble);
        return;
    }
    cn_status status = cn_show_frame(stage->show, place, id, &frame, &contacts, &error);
    if (status != CN_OK) {
        cn_trouble trouble = {cn_trouble_code(status), error.message, "id", id};
        cn_page_complain(page, &trouble);
        return;
    }
    cn_page_send(page, frame, false);
    cn_page_send(page, contacts, false);
}

// A live run's ledger is in memory: the file has it only once it is flushed.
static void cn_ledger_of_rows(const cn_stage *stage, const cn_request *request, cn_bytes *out) {
    int64_t first = stage->row_count > 0 ? stage->rows[0].step : 1;
    int64_t last = stage->row_count > 0 ? stage->rows[stage->row_count - 1].step : 0;
    int64_t from = request->from > first ? request->from : first,
            to = request->to < last ? request->to : last;
    cn_ledger_bins bins = cn_ledger_bins_start(from, to, request->bins);
    for (int64_t i = 0; i < stage->row_count; i++) {
        const cn_live_row *row = &stage->rows[i];
        if (row->step >= from && row->step <= to) {
            cn_ledger_bins_add(&bins, row->step, row->t, row->row);
        }
    }
    cn_message_ledger(out, request->id, stage->show->dim, &bins);
    cn_ledger_bins_free(&bins);
}

static void cn_answer_ledger(cn_stage *stage, cn_page *page) {
    const cn_request *request = &page->asks[0];
    cn_bytes out = {0};
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    if (stage->live) {
        cn_ledger_of_rows(stage, request, &out);
        page->rows_told = stage->row_count; // from here on it is told what is new
    } else {
        status = cn_show_ledger(stage->show, request->id, request->from, request->to, request->bins,
                                &out, &error);
    }
    if (status == CN_OK) {
        cn_page_send(page, out, false);
    } else {
        cn_trouble trouble = {cn_trouble_code(status), error.message, "id", request->id};
        cn_page_complain(page, &trouble);
    }
    cn_page_drop_ask(page);
}

// Reads a slice of a body's way; sends it when the last frame has been read.
static void cn_answer_track(cn_stage *stage, cn_page *page) {
    const cn_request *request = &page->asks[0];
    cn_show *show = stage->show;
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    int32_t pose = show->dim == 3 ? 7 : 3, size = show->dim == 3 ? 6 : 3;
    int64_t frames = cn_run_frame_count(show->run);
    int64_t stride = (frames + request->points - 1) / request->points;
    int64_t each = (int64_t)sizeof(double) * (pose + size) * show->bodies, read = 0;
    while (status == CN_OK && page->series_place < frames && read < CN_SERIES_SLICE) {
        int64_t step, place = page->series_place;
        double t;
        status = cn_run_frame(show->run, place, &step, &t, show->q, show->v, &error);
        if (status == CN_OK) {
            cn_track_add(&page->series, show->dim, step, t, show->q + pose * request->body,
                         show->v + size * request->body);
        }
        read += each;
        bool skips_last = place + stride >= frames && place < frames - 1;
        page->series_place = skips_last ? frames - 1 : place + stride;
    }
    if (status != CN_OK) {
        cn_trouble trouble = {cn_trouble_code(status), error.message, "id", request->id};
        cn_page_complain(page, &trouble);
        cn_page_drop_ask(page);
    } else if (page->series_place >= frames) {
        cn_bytes out = {0};
        cn_message_track(&out, request->id, show->dim, &page->series);
        cn_page_send(page, out, false);
        cn_page_drop_ask(page);
    }
}

static void cn_page_answer(cn_stage *stage, cn_page *page) {
    switch (page->asks[0].op) {
    case CN_ASK_FRAME:
        cn_answer_frame(stage, page);
        break;
    case CN_ASK_LEDGER:
        cn_answer_ledger(stage, page);
        break;
    default:
        cn_answer_track(stage, page);
        break;
    }
}

static bool cn_page_wants_live(const cn_stage *stage, const cn_page *page) {
    return stage->live && page->greeted && page->shown_serial != stage->frame_serial &&
           page->unacknowledged < CN_UNACKNOWLEDGED;
}

static void cn_answer_live(cn_stage *stage, cn_page *page) {
    cn_bytes frame = {0}, contacts = {0};
    cn_bytes_put(&frame, stage->frame.data, stage->frame.size);
    cn_bytes_put(&contacts, stage->contacts.data, stage->contacts.size);
    cn_page_send(page, frame, false);
    cn_page_send(page, contacts, false);
    page->shown_serial = stage->frame_serial;
    page->unacknowledged++;
}

bool cn_page_has_more(const cn_stage *stage, const cn_page *page) {
    return page->queue_count > 0 || page->ask_count > 0 || cn_page_wants_live(stage, page);
}

// Answers are made only when the page can take them: what is overtaken meanwhile is never made.
bool cn_page_next(cn_stage *stage, cn_page *page, cn_outgoing *out) {
    if (page->queue_count == 0 && cn_page_wants_live(stage, page)) {
        cn_answer_live(stage, page);
    } else if (page->queue_count == 0 && page->ask_count > 0) {
        cn_page_answer(stage, page);
    }
    if (page->queue_count == 0) {
        return false;
    }
    *out = page->queue[page->queue_first++];
    page->queue_count--;
    return true;
}

// ---- pages ----

cn_page *cn_page_open(cn_stage *stage) {
    if (stage->page_count == CN_PAGES_MOST) {
        return NULL;
    }
    cn_page *page = CN_ALLOCATE(cn_page, 1);
    page->number = ++stage->pages_so_far;
    page->rate_start = cn_wall_clock();
    stage->pages[stage->page_count++] = page;
    return page;
}

void cn_page_close(cn_stage *stage, cn_page *page) {
    for (int32_t i = 0; i < stage->page_count; i++) {
        if (stage->pages[i] == page) {
            stage->pages[i] = stage->pages[--stage->page_count];
            break;
        }
    }
    for (int32_t i = 0; i < page->queue_count; i++) {
        cn_bytes_free(&page->queue[page->queue_first + i].bytes);
    }
    cn_track_free(&page->series);
    free(page->queue);
    free(page);
}

void cn_stage_free(cn_stage *stage) {
    while (stage->page_count > 0) {
        cn_page_close(stage, stage->pages[0]);
    }
    cn_live_news_free(&stage->news);
    cn_bytes_free(&stage->frame);
    cn_bytes_free(&stage->contacts);
    free(stage->rows);
}

// ---- live news ----

static cn_page *cn_stage_page(const cn_stage *stage, uint64_t number) {
    for (int32_t i = 0; i < stage->page_count; i++) {
        if (stage->pages[i]->number == number) {
            return stage->pages[i];
        }
    }
    return NULL;
}

static void cn_stage_replies(cn_stage *stage) {
    for (int32_t i = 0; i < stage->news.reply_count; i++) {
        const cn_live_reply *reply = &stage->news.replies[i];
        cn_page *page = cn_stage_page(stage, reply->page);
        if (page && reply->problem) {
            cn_trouble trouble = {"failed", reply->problem, "n", reply->n};
            cn_page_complain(page, &trouble);
        } else if (page) {
            char *text = cn_text("{\"op\":\"done\",\"n\":%lld}", (long long)reply->n);
            cn_page_send_text(page, text);
            free(text);
        }
    }
}

static void cn_stage_tell(cn_stage *stage, const char *text) {
    for (int32_t i = 0; i < stage->page_count; i++) {
        if (stage->pages[i]->greeted) {
            cn_page_send_text(stage->pages[i], text);
        }
    }
}

static void cn_stage_events(cn_stage *stage) {
    for (int32_t i = 0; stage->page_count > 0 && i < stage->news.event_count; i++) {
        const cn_live_event *event = &stage->news.events[i];
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        if (!out) {
            return;
        }
        cn_json json = cn_put_start(out);
        cn_put_open(&json, NULL, '{');
        cn_put_text(&json, "op", "event");
        cn_put_int(&json, "step", event->step);
        cn_put_real(&json, "t", event->t);
        cn_put_text(&json, "text", event->text);
        cn_put_close(&json, '}');
        fclose(out);
        cn_stage_tell(stage, text);
        free(text);
    }
}

// The older half of a long run's rows is let go; the run file has them.
static void cn_stage_forget(cn_stage *stage) {
    int64_t gone = stage->row_count / 2;
    stage->row_count -= gone;
    memmove(stage->rows, stage->rows + gone, sizeof *stage->rows * (size_t)stage->row_count);
    for (int32_t i = 0; i < stage->page_count; i++) {
        cn_page *page = stage->pages[i];
        page->rows_told = page->rows_told > gone ? page->rows_told - gone
                          : page->rows_told >= 0 ? 0
                                                 : -1;
    }
}

static void cn_stage_rows(cn_stage *stage) {
    const cn_live_news *news = &stage->news;
    if (stage->row_count > CN_ROWS_MOST) {
        cn_stage_forget(stage);
    }
    if (stage->row_count + news->row_count > stage->row_capacity) {
        stage->row_capacity = 2 * (stage->row_count + news->row_count);
        stage->rows = cn_reallocate(stage->rows, stage->row_capacity, sizeof *stage->rows);
    }
    if (news->row_count > 0) {
        memcpy(stage->rows + stage->row_count, news->rows,
               sizeof *stage->rows * (size_t)news->row_count);
    }
    stage->row_count += news->row_count;
}

static void cn_stage_frame(cn_stage *stage) {
    const cn_live_frame *frame = &stage->news.frame;
    const cn_show *show = stage->show;
    cn_message_head head = {0, frame->step, frame->t};
    if (!stage->news.has_frame) {
        return;
    }
    stage->frame.size = stage->contacts.size = 0;
    stage->frame_serial++;
    cn_message_frame(&stage->frame, &head, show->dim, show->bodies, show->unturned, frame->q,
                     frame->v);
    cn_message_contacts(&stage->contacts, &head, show->dim, show->h, frame->contacts,
                        frame->contact_count);
}

// Steps and recorded frames that a page has not been told of.
static void cn_page_catch_up(cn_stage *stage, cn_page *page) {
    if (page->rows_told >= 0 && page->rows_told < stage->row_count) {
        cn_bytes out = {0};
        const cn_live_row *rows = stage->rows + page->rows_told;
        int64_t count = stage->row_count - page->rows_told;
        cn_ledger_bins bins = cn_ledger_bins_start(rows[0].step, rows[count - 1].step, count);
        for (int64_t i = 0; i < count; i++) {
            cn_ledger_bins_add(&bins, rows[i].step, rows[i].t, rows[i].row);
        }
        cn_message_ledger(&out, 0, stage->show->dim, &bins);
        cn_ledger_bins_free(&bins);
        cn_page_send(page, out, false);
        page->rows_told = stage->row_count;
    }
    int64_t frames = cn_run_frame_count(stage->show->run);
    if (page->frames_told < frames) {
        cn_bytes index = {0};
        cn_show_index(stage->show, 0, page->frames_told, &index);
        cn_page_send(page, index, false);
        page->frames_told = frames;
    }
}

static void cn_stage_figures(cn_stage *stage) {
    const cn_live_news *news = &stage->news;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return;
    }
    cn_json json = cn_put_start(out);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "op", "live");
    cn_put_int(&json, "step", news->step);
    cn_put_real(&json, "t", news->t);
    cn_put_bool(&json, "running", news->running);
    cn_put_real(&json, "factor", news->factor);
    cn_put_int(&json, "iterations", news->iterations);
    cn_put_real(&json, "solve_ms", news->solve_ms);
    cn_put_int(&json, "dropped", news->dropped);
    cn_put_real(&json, "speed", news->speed);
    cn_put_open(&json, "gravity", '[');
    for (int32_t k = 0; k < stage->show->dim; k++) {
        cn_put_real(&json, NULL, news->steering.gravity[k]);
    }
    cn_put_close(&json, ']');
    cn_put_real(&json, "friction", news->steering.friction);
    cn_put_close(&json, '}');
    fclose(out);
    cn_stage_tell(stage, text);
    free(text);
}

// The run has started over: nothing of what pages know holds.
static void cn_stage_restart(cn_stage *stage) {
    stage->row_count = 0;
    stage->frame.size = stage->contacts.size = 0;
    stage->resets = stage->news.resets;
    for (int32_t i = 0; i < stage->page_count; i++) {
        if (stage->pages[i]->greeted) {
            cn_page_hello(stage, stage->pages[i]);
        }
    }
}

void cn_stage_update(cn_stage *stage, bool tick) {
    cn_error ignored;
    if (!stage->live) {
        return;
    }
    cn_live_take(stage->live, &stage->news);
    bool restarted = stage->news.resets != stage->resets;
    if (restarted || stage->news.flushes != stage->flushes) {
        cn_show_refresh(stage->show, &ignored);
        stage->flushes = stage->news.flushes;
    }
    if (restarted) {
        cn_stage_restart(stage);
    }
    cn_stage_rows(stage);
    cn_stage_frame(stage);
    cn_stage_replies(stage);
    cn_stage_events(stage);
    if (tick) {
        cn_stage_figures(stage);
        for (int32_t i = 0; i < stage->page_count; i++) {
            if (stage->pages[i]->greeted) {
                cn_page_catch_up(stage, stage->pages[i]);
            }
        }
    }
    if (stage->news.ended && !stage->ended) {
        stage->ended = true;
        cn_stage_tell(stage, "{\"op\":\"end\",\"text\":\"The run is over. What was recorded can "
                             "still be looked at.\"}");
    }
}
