// app/web/view.c
// Replays and live runs behind a server; see view.h.
#include "web/view.h"

#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>

#define CN_UNKEPT_MOST ((int64_t)1 << 30) // bytes of frames of a run that is not kept

static void cn_view_announce(FILE *out, const char *name, const cn_server *server) {
    cn_say(out, "%s: open this address in a browser; Ctrl-C ends it\n  %s\n", name,
           cn_server_address(server));
    fflush(out);
}

int cn_view_run(const char *path, const cn_server_options *options) {
    cn_show show;
    cn_error error = {.status = CN_OK};
    if (cn_show_open(path, &show, &error) != CN_OK) {
        return cn_report_error_in(&error, path);
    }
    // Made before the first page asks. A failure is told to every page that does.
    const char *bodies;
    cn_show_bodies(&show, &bodies, &error);
    cn_stage stage = {.show = &show};
    cn_server *server = cn_server_start(&stage, options);
    if (server) {
        cn_view_announce(stdout, path, server);
        cn_server_serve(server);
        cn_server_end(server);
    }
    cn_stage_free(&stage);
    cn_show_close(&show);
    return server ? CN_EXIT_DONE : CN_EXIT_FAILURE;
}

int cn_view_drive(cn_drive *drive, const cn_view_live *live, const cn_server_options *options) {
    cn_show show;
    cn_error error = {.status = CN_OK};
    cn_status status = cn_show_open(drive->path, &show, &error);
    if (status != CN_OK) {
        return cn_drive_finish(drive, status, &error);
    }
    cn_stage stage = {.show = &show, .endless = live->endless, .save = live->save};
    cn_server *server = cn_server_start(&stage, options);
    if (server) {
        cn_live_options how = {.speed = live->speed,
                               .endless = live->endless,
                               .most = live->save ? 0 : CN_UNKEPT_MOST,
                               .wake = cn_server_wake,
                               .user = server};
        stage.live = cn_live_start(drive, &how);
        cn_stage_update(&stage, false);
        cn_view_announce(live->out, cn_model_name(drive->model), server);
        cn_server_serve(server);
        status = cn_live_end(stage.live, &error);
        stage.live = NULL;
        cn_server_end(server);
    }
    cn_stage_free(&stage);
    cn_show_close(&show);
    int code = cn_drive_finish(drive, status, &error);
    if (server && code == CN_EXIT_INTERRUPTED && live->save) {
        cn_drive_say_interrupted(drive);
    }
    return server ? code : CN_EXIT_FAILURE;
}
