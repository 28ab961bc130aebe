// app/web/server.h
// The web server of `cairn view` and `cairn run --live`: the embedded page over HTTP, its messages
// over a WebSocket. It serves nothing from the disk. Who may talk to it: a browser whose page came
// from it (Host and Origin are checked) and knows its token.
#ifndef CAIRN_APP_WEB_SERVER_H
#define CAIRN_APP_WEB_SERVER_H

#include "web/session.h"

typedef struct server_options {
    const char *command; // for messages
    const char *address; // to listen on; NULL: loopback
    int32_t port;        // 0: the usual one, or any other when that is taken
    bool browser;        // open one
    bool ends;           // with the live run, once no page is connected; else on Ctrl-C only
} server_options;

typedef struct web_server web_server;

// NULL after saying why not. The server is listening when this returns; the session outlives it.
web_server *server_start(page_session *session, const server_options *options);
const char *server_address(const web_server *server); // http://..., with the token
// Makes server_serve look at the live run's news; may be called from any thread.
void server_wake(void *server);
// Serves until Ctrl-C, or as options.ends says.
void server_serve(web_server *server);
void server_end(web_server *server);

#endif
