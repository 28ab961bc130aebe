// app/web/html.c
// A run inside the page; see html.h. Frames go in blocks of about a megabyte, deflated and in
// base64, so that the page opens after reading the first.
#include "web/html.h"

#include "support/support.h"
#include "web/assets.h"
#include "web/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HTML_BLOCK (1 << 20)          // bytes of frames in a block, before compression
#define HTML_MAX ((int64_t)256 << 20) // bytes of all frames, before compression
#define HTML_BINS 65536               // of the ledger
#define HTML_MARK "<!--cairn:data-->"

bool html_available(void) {
    return asset_find("/replay.html") != NULL;
}

// The frames that are written, and the texts that become elements of the file.
typedef struct html_writer {
    replay_file replay;
    int64_t *places; // of the frames
    int64_t count;
    byte_buffer blocks; // JSON of the list of blocks
    byte_buffer frames; // elements
    int64_t block_count;
} html_writer;

static void put_string(byte_buffer *out, const char *text) {
    bytes_put(out, text, strlen(text));
}

// An element with data, deflated and in base64.
static void html_element(byte_buffer *out, const char *id, const byte_buffer *data) {
    byte_buffer packed = {0};
    char *open = format_text("<script type=\"application/octet-stream\" id=\"%s\">", id);
    bytes_deflate(&packed, data->data, data->size);
    put_string(out, open);
    bytes_base64(out, packed.data, packed.size);
    put_string(out, "</script>\n");
    bytes_free(&packed);
    free(open);
}

// Every k-th frame of those wanted, so that they stay below the limit; the last one in any case.
static void html_choose(html_writer *html, int64_t first, int64_t last, int64_t frame_bytes) {
    const int64_t *steps;
    const double *times;
    int64_t all = cn_run_moments(html->replay.run, &steps, &times), from = 0, to = all;
    while (last >= first && from < all && steps[from] < first) {
        from++;
    }
    while (last >= first && to > from && steps[to - 1] > last) {
        to--;
    }
    int64_t stride = 1 + (to - from) * frame_bytes / HTML_MAX;
    html->places = ALLOCATE(int64_t, to - from + 1);
    for (int64_t i = from; i < to; i += stride) {
        html->places[html->count++] = i;
    }
    if (html->count > 0 && html->places[html->count - 1] != to - 1) {
        html->places[html->count++] = to - 1;
    }
}

static void html_block(html_writer *html, int64_t first, int64_t count, byte_buffer *data) {
    char *id = format_text("cairn-frames-%lld", (long long)html->block_count++);
    char *entry = format_text("%s{\"first\":%lld,\"count\":%lld}", first > 0 ? "," : "",
                              (long long)first, (long long)count);
    html_element(&html->frames, id, data);
    put_string(&html->blocks, entry);
    data->size = 0;
    free(id);
    free(entry);
}

static cn_status html_frames(html_writer *html, cn_error *error) {
    byte_buffer block = {0};
    cn_status status = CN_OK;
    int64_t first = 0;
    for (int64_t i = 0; status == CN_OK && i < html->count; i++) {
        status = replay_frame(&html->replay, html->places[i], 0, &block, &block, error);
        if (status == CN_OK && (block.size >= HTML_BLOCK || i == html->count - 1)) {
            html_block(html, first, i + 1 - first, &block);
            first = i + 1;
        }
    }
    bytes_free(&block);
    return status;
}

// The index of the frames written and the whole ledger.
static cn_status html_ledger(html_writer *html, byte_buffer *out, cn_error *error) {
    const int64_t *steps;
    const double *times;
    int64_t *chosen = ALLOCATE(int64_t, html->count + 1);
    double *moments = ALLOCATE(double, html->count + 1);
    byte_buffer data = {0};
    cn_run_moments(html->replay.run, &steps, &times);
    for (int64_t i = 0; i < html->count; i++) {
        chosen[i] = steps[html->places[i]];
        moments[i] = times[html->places[i]];
    }
    message_index(&data, 0, chosen, moments, html->count);
    cn_status status = replay_ledger(&html->replay, 0, 0, INT64_MAX, HTML_BINS, &data, error);
    html_element(out, "cairn-ledger", &data);
    bytes_free(&data);
    free(chosen);
    free(moments);
    return status;
}

static cn_status html_head(html_writer *html, byte_buffer *out, cn_error *error) {
    byte_buffer data = {0};
    const char *bodies;
    char *hello = NULL;
    cn_status status = replay_hello(&html->replay, "file", NULL, &hello, error);
    if (status == CN_OK) {
        status = replay_bodies(&html->replay, &bodies, error);
    }
    if (status == CN_OK) {
        put_string(&data, "{\"hello\":");
        put_string(&data, hello);
        put_string(&data, ",\"bodies\":");
        put_string(&data, bodies);
        put_string(&data, ",\"blocks\":[");
        bytes_put(&data, html->blocks.data, html->blocks.size);
        put_string(&data, "]}");
        html_element(out, "cairn-head", &data);
    }
    bytes_free(&data);
    free(hello);
    return status;
}

// Poses, velocities and contacts of the first frame with contacts stand for all others.
static cn_status html_frame_bytes(html_writer *html, int64_t *bytes, cn_error *error) {
    int64_t frames = cn_run_frame_count(html->replay.run);
    byte_buffer last = {0};
    cn_status status =
        frames > 0 ? replay_frame(&html->replay, frames - 1, 0, &last, &last, error) : CN_OK;
    *bytes = (int64_t)last.size;
    bytes_free(&last);
    return status;
}

static int html_save(const char *path, const web_asset *page, const byte_buffer *elements,
                     int64_t *bytes) {
    const char *text = (const char *)page->data, *mark = strstr(text, HTML_MARK);
    if (!mark) {
        return report_failure("the page of this build has no place for data");
    }
    const char *after = mark + strlen(HTML_MARK);
    output_file out;
    if (!output_open(&out, path)) {
        return EXIT_FAILED;
    }
    fwrite(text, 1, (size_t)(mark - text), out.file);
    fwrite(elements->data, 1, elements->size, out.file);
    fwrite(after, 1, page->size - (size_t)(after - text), out.file);
    *bytes = (int64_t)(page->size + elements->size);
    return output_close(&out);
}

int html_write(const char *run, const char *path, int64_t first, int64_t last,
               html_report *report) {
    html_writer html = {.count = 0};
    byte_buffer elements = {0};
    cn_error error = {.status = CN_OK};
    int64_t frame_bytes;
    const web_asset *page = asset_find("/replay.html");
    if (!page) {
        return report_failure(
            "%s: this cairn was built without its page (node and npm were not there)", path);
    }
    if (replay_open(run, &html.replay, &error) != CN_OK) {
        return report_error_in(&error, run);
    }
    cn_status status = html_frame_bytes(&html, &frame_bytes, &error);
    if (status == CN_OK) {
        html_choose(&html, first, last, frame_bytes);
        status = html_frames(&html, &error);
    }
    status = status == CN_OK ? html_head(&html, &elements, &error) : status;
    status = status == CN_OK ? html_ledger(&html, &elements, &error) : status;
    bytes_put(&elements, html.frames.data, html.frames.size);
    *report = (html_report){.frames = html.count, .of = cn_run_frame_count(html.replay.run)};
    int code = status == CN_OK ? html_save(path, page, &elements, &report->bytes)
                               : report_error_in(&error, run);
    replay_close(&html.replay);
    bytes_free(&html.blocks);
    bytes_free(&html.frames);
    bytes_free(&elements);
    free(html.places);
    return code;
}
