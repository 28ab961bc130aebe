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

#define CN_HTML_BLOCK (1 << 20)           // bytes of frames in a block, before compression
#define CN_HTML_MOST ((int64_t)256 << 20) // bytes of all frames, before compression
#define CN_HTML_BINS 65536                // of the ledger
#define CN_HTML_MARK "<!--cairn:data-->"

bool cn_html_available(void) {
    return cn_asset_find("/replay.html") != NULL;
}

// The frames that are written, and the texts that become elements of the file.
typedef struct cn_html {
    cn_show show;
    int64_t *places; // of the frames
    int64_t count;
    cn_bytes blocks; // JSON of the list of blocks
    cn_bytes frames; // elements
    int64_t block_count;
} cn_html;

static void cn_put_string(cn_bytes *out, const char *text) {
    cn_bytes_put(out, text, strlen(text));
}

// An element with data, deflated and in base64.
static void cn_html_element(cn_bytes *out, const char *id, const cn_bytes *data) {
    cn_bytes packed = {0};
    char *open = cn_text("<script type=\"application/octet-stream\" id=\"%s\">", id);
    cn_bytes_deflate(&packed, data->data, data->size);
    cn_put_string(out, open);
    cn_bytes_base64(out, packed.data, packed.size);
    cn_put_string(out, "</script>\n");
    cn_bytes_free(&packed);
    free(open);
}

// Every k-th frame of those wanted, so that they stay below the limit; the last one in any case.
static void cn_html_choose(cn_html *html, int64_t first, int64_t last, int64_t frame_bytes) {
    const int64_t *steps;
    const double *times;
    int64_t all = cn_run_moments(html->show.run, &steps, &times), from = 0, to = all;
    while (last >= first && from < all && steps[from] < first) {
        from++;
    }
    while (last >= first && to > from && steps[to - 1] > last) {
        to--;
    }
    int64_t stride = 1 + (to - from) * frame_bytes / CN_HTML_MOST;
    html->places = CN_ALLOCATE(int64_t, to - from + 1);
    for (int64_t i = from; i < to; i += stride) {
        html->places[html->count++] = i;
    }
    if (html->count > 0 && html->places[html->count - 1] != to - 1) {
        html->places[html->count++] = to - 1;
    }
}

static void cn_html_block(cn_html *html, int64_t first, int64_t count, cn_bytes *data) {
    char *id = cn_text("cairn-frames-%lld", (long long)html->block_count++);
    char *entry = cn_text("%s{\"first\":%lld,\"count\":%lld}", first > 0 ? "," : "",
                          (long long)first, (long long)count);
    cn_html_element(&html->frames, id, data);
    cn_put_string(&html->blocks, entry);
    data->size = 0;
    free(id);
    free(entry);
}

static cn_status cn_html_frames(cn_html *html, cn_error *error) {
    cn_bytes block = {0};
    cn_status status = CN_OK;
    int64_t first = 0;
    for (int64_t i = 0; status == CN_OK && i < html->count; i++) {
        status = cn_show_frame(&html->show, html->places[i], 0, &block, &block, error);
        if (status == CN_OK && (block.size >= CN_HTML_BLOCK || i == html->count - 1)) {
            cn_html_block(html, first, i + 1 - first, &block);
            first = i + 1;
        }
    }
    cn_bytes_free(&block);
    return status;
}

// The index of the frames written and the whole ledger.
static cn_status cn_html_ledger(cn_html *html, cn_bytes *out, cn_error *error) {
    const int64_t *steps;
    const double *times;
    int64_t *chosen = CN_ALLOCATE(int64_t, html->count + 1);
    double *moments = CN_ALLOCATE(double, html->count + 1);
    cn_bytes data = {0};
    cn_run_moments(html->show.run, &steps, &times);
    for (int64_t i = 0; i < html->count; i++) {
        chosen[i] = steps[html->places[i]];
        moments[i] = times[html->places[i]];
    }
    cn_message_index(&data, 0, chosen, moments, html->count);
    cn_status status = cn_show_ledger(&html->show, 0, 0, INT64_MAX, CN_HTML_BINS, &data, error);
    cn_html_element(out, "cairn-ledger", &data);
    cn_bytes_free(&data);
    free(chosen);
    free(moments);
    return status;
}

static cn_status cn_html_head(cn_html *html, cn_bytes *out, cn_error *error) {
    cn_bytes data = {0};
    const char *bodies;
    char *hello = cn_show_hello(&html->show, "file", NULL);
    cn_status status = cn_show_bodies(&html->show, &bodies, error);
    if (status == CN_OK) {
        cn_put_string(&data, "{\"hello\":");
        cn_put_string(&data, hello);
        cn_put_string(&data, ",\"bodies\":");
        cn_put_string(&data, bodies);
        cn_put_string(&data, ",\"blocks\":[");
        cn_bytes_put(&data, html->blocks.data, html->blocks.size);
        cn_put_string(&data, "]}");
        cn_html_element(out, "cairn-head", &data);
    }
    cn_bytes_free(&data);
    free(hello);
    return status;
}

// Poses, velocities and contacts of the first frame with contacts stand for all others.
static cn_status cn_html_frame_bytes(cn_html *html, int64_t *bytes, cn_error *error) {
    int64_t frames = cn_run_frame_count(html->show.run);
    cn_bytes last = {0};
    cn_status status =
        frames > 0 ? cn_show_frame(&html->show, frames - 1, 0, &last, &last, error) : CN_OK;
    *bytes = (int64_t)last.size;
    cn_bytes_free(&last);
    return status;
}

static int cn_html_save(const char *path, const cn_asset *page, const cn_bytes *elements,
                        int64_t *bytes) {
    const char *text = (const char *)page->data, *mark = strstr(text, CN_HTML_MARK);
    if (!mark) {
        return cn_report_failure("the page of this build has no place for data");
    }
    const char *after = mark + strlen(CN_HTML_MARK);
    cn_output out;
    if (!cn_output_open(&out, path)) {
        return CN_EXIT_FAILURE;
    }
    fwrite(text, 1, (size_t)(mark - text), out.file);
    fwrite(elements->data, 1, elements->size, out.file);
    fwrite(after, 1, page->size - (size_t)(after - text), out.file);
    *bytes = (int64_t)(page->size + elements->size);
    return cn_output_close(&out);
}

int cn_html_write(const char *run, const char *path, int64_t first, int64_t last,
                  cn_html_report *report) {
    cn_html html = {.count = 0};
    cn_bytes elements = {0};
    cn_error error = {.status = CN_OK};
    int64_t frame_bytes;
    const cn_asset *page = cn_asset_find("/replay.html");
    if (!page) {
        return cn_report_failure(
            "%s: this cairn was built without its page (node and npm were not there)", path);
    }
    if (cn_show_open(run, &html.show, &error) != CN_OK) {
        return cn_report_error_in(&error, run);
    }
    cn_status status = cn_html_frame_bytes(&html, &frame_bytes, &error);
    if (status == CN_OK) {
        cn_html_choose(&html, first, last, frame_bytes);
        status = cn_html_frames(&html, &error);
    }
    status = status == CN_OK ? cn_html_head(&html, &elements, &error) : status;
    status = status == CN_OK ? cn_html_ledger(&html, &elements, &error) : status;
    cn_bytes_put(&elements, html.frames.data, html.frames.size);
    *report = (cn_html_report){.frames = html.count, .of = cn_run_frame_count(html.show.run)};
    int code = status == CN_OK ? cn_html_save(path, page, &elements, &report->bytes)
                               : cn_report_error_in(&error, run);
    cn_show_close(&html.show);
    cn_bytes_free(&html.blocks);
    cn_bytes_free(&html.frames);
    cn_bytes_free(&elements);
    free(html.places);
    return code;
}
