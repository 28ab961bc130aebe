// app/export/html.c
// `cairn export --to html`: html.c does it, here it is told.
#include "web/html.h"
#include "export/export.h"
#include "support/support.h"
#include "support/terminal.h"

int cn_export_html(const cn_export_job *job, cn_recorded *recorded) {
    cn_html_report report;
    int code = cn_html_write(recorded->path, job->folder, job->first, job->last, &report);
    if (code == CN_EXIT_DONE && !job->quiet) {
        cn_say(stdout, "%s: %lld of %lld frames, %.2f MB; open it in a browser\n", job->folder,
               (long long)report.frames, (long long)report.of, 1e-6 * (double)report.bytes);
    }
    return code;
}
