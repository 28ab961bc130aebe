// app/web/view.h
// Showing things in the browser: a run file as a replay, a run loop as a live run.
#ifndef CAIRN_APP_WEB_VIEW_H
#define CAIRN_APP_WEB_VIEW_H

#include "run/run_loop.h"
#include "web/server.h"

// Serves a run file until Ctrl-C. Returns an exit code.
int view_run(const char *path, const server_options *options);

typedef struct view_live {
    double speed;     // simulated seconds per second; 0: as fast as it goes
    bool endless;     // past the scene's end
    const char *save; // where the run can be found afterwards; NULL: nowhere
    FILE *out;        // where the address is printed
} view_live;

// Goes on with a run loop that was created, while pages watch and steer. Instead of run_loop_run:
// the file is closed in any case, and what went wrong has been said.
int view_run_loop(run_loop *loop, const view_live *live, const server_options *options);

#endif
