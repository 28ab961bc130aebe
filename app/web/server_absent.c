// app/web/server_absent.c
// Instead of server.c where libwebsockets was not there when the command was built.
#include "web/server.h"

#include "support/support.h"

web_server *server_start(page_session *session, const server_options *options) {
    (void)session;
    report_failure("%s: this cairn was built without libwebsockets and cannot serve pages; "
                   "cairn export RUN --to html writes one that opens from the disk",
                   options->command);
    return NULL;
}

const char *server_address(const web_server *server) {
    (void)server;
    return "";
}

void server_wake(void *server) {
    (void)server;
}

void server_serve(web_server *server) {
    (void)server;
}

void server_end(web_server *server) {
    (void)server;
}
