// app/web/view.h
// Showing things in the browser: a run file as a replay, a drive as a live run.
#ifndef CAIRN_APP_WEB_VIEW_H
#define CAIRN_APP_WEB_VIEW_H

#include "run/run_loop.h"
#include "web/server.h"

// Serves a run file until Ctrl-C. Returns an exit code.
int cn_view_run(const char *path, const cn_server_options *options);

typedef struct cn_view_live {
    double speed;     // simulated seconds a second; 0: as fast as it goes
    bool endless;     // past the scene's end
    const char *save; // where the run can be found afterwards; NULL: nowhere
    FILE *out;        // where the address is told
} cn_view_live;

// Goes on with a drive that was created, while pages look on and steer. In place of cn_drive_go:
// the file is closed in any case, and what went wrong has been said.
int cn_view_drive(cn_drive *drive, const cn_view_live *live, const cn_server_options *options);

#endif
