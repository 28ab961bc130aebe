// app/web/html.h
// A run as one HTML file: the page with its data compressed inside, to be opened from the disk
// without a server (docs/reference/viewer-protocol.md).
#ifndef CAIRN_APP_WEB_HTML_H
#define CAIRN_APP_WEB_HTML_H

#include <stdbool.h>
#include <stdint.h>

// Whether this build has the page.
bool html_available(void);

typedef struct html_report {
    int64_t frames, of; // written, recorded
    int64_t bytes;
} html_report;

// Frames of steps first to last, all when last < first; of very long runs every so many-th. Returns
// an exit code.
int html_write(const char *run, const char *path, int64_t first, int64_t last, html_report *report);

#endif
