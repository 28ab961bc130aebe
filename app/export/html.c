// app/export/html.c
// `cairn export --to html`: web/html.c does it, here it is reported.
#include "web/html.h"
#include "export/export.h"
#include "support/support.h"
#include "support/terminal.h"

int export_html(const export_job *job, recorded_run *recorded) {
    html_report report;
    int code = html_write(recorded->path, job->folder, job->first, job->last, &report);
    if (code == EXIT_DONE && !job->quiet) {
        print_format(stdout, "%s: %lld of %lld frames, %.2f MB; open it in a browser\n",
                     job->folder, (long long)report.frames, (long long)report.of,
                     1e-6 * (double)report.bytes);
    }
    return code;
}
