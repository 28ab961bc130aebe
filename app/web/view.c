// app/web/view.c
// Replays and live runs behind a server; see view.h.
#include "web/view.h"

#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>

#define UNSAVED_MAX ((int64_t)1 << 30) // bytes of frames of a run that is not kept

static void view_announce(FILE *out, const char *name, const web_server *server) {
    print_format(out, "%s: open this address in a browser; Ctrl-C ends it\n  %s\n", name,
                 server_address(server));
    fflush(out);
}

int view_run(const char *path, const server_options *options) {
    replay_file replay;
    cn_error error = {.status = CN_OK};
    if (replay_open(path, &replay, &error) != CN_OK) {
        return report_error_in(&error, path);
    }
    // Made before the first page asks. A failure is reported to every page that does.
    const char *bodies;
    replay_bodies(&replay, &bodies, &error);
    page_session session = {.replay = &replay};
    web_server *server = server_start(&session, options);
    if (server) {
        view_announce(stdout, path, server);
        server_serve(server);
        server_end(server);
    }
    session_free(&session);
    replay_close(&replay);
    return server ? EXIT_DONE : EXIT_FAILED;
}

int view_run_loop(run_loop *loop, const view_live *live, const server_options *options) {
    replay_file replay;
    cn_error error = {.status = CN_OK};
    cn_status status = replay_open(loop->path, &replay, &error);
    if (status != CN_OK) {
        return run_loop_finish(loop, status, &error);
    }
    page_session session = {.replay = &replay, .endless = live->endless, .save = live->save};
    web_server *server = server_start(&session, options);
    if (server) {
        live_options how = {.speed = live->speed,
                            .endless = live->endless,
                            .max = live->save ? 0 : UNSAVED_MAX,
                            .wake = server_wake,
                            .user = server};
        session.live = live_start(loop, &how);
        session_update(&session, false);
        view_announce(live->out, cn_model_name(loop->model), server);
        server_serve(server);
        status = live_end(session.live, &error);
        session.live = NULL;
        server_end(server);
    }
    session_free(&session);
    replay_close(&replay);
    int code = run_loop_finish(loop, status, &error);
    if (server && code == EXIT_INTERRUPTED && live->save) {
        run_loop_print_interrupted(loop);
    }
    return server ? code : EXIT_FAILED;
}
