// app/web/server_absent.c
// In place of server.c where libwebsockets was not there when the command was built.
#include "web/server.h"

#include "support/support.h"

cn_server *cn_server_start(cn_stage *stage, const cn_server_options *options) {
    (void)stage;
    cn_report_failure("%s: this cairn was built without libwebsockets and cannot serve pages; "
                      "cairn export RUN --to html writes one that opens from the disk",
                      options->command);
    return NULL;
}

const char *cn_server_address(const cn_server *server) {
    (void)server;
    return "";
}

void cn_server_wake(void *server) {
    (void)server;
}

void cn_server_serve(cn_server *server) {
    (void)server;
}

void cn_server_end(cn_server *server) {
    (void)server;
}
