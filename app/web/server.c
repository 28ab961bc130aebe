// app/web/server.c
// HTTP and WebSockets by libwebsockets, one thread, one loop; see server.h. What is said is
// session.c's business; here is who may say it.
//
// Refused: a Host that is not ours (a name that was made to point here), an Origin that is not ours
// (a page from elsewhere), a token that is not ours (another user of the machine), messages that
// are too long, too many or sent without a mask, more pages than a few. Connections that ask for
// nothing give way to new ones.
#include "web/server.h"

#include "support/progress.h"
#include "support/support.h"
#include "web/assets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

#define PORT 7351        // a fixed one lets the browser keep the page's settings
#define TOKEN_BYTES 16   // random
#define TICK_US 100000   // [us] between two updates of a live run's figures
#define SOCKETS_MAX 64   // connections of any kind
#define WAITING_MAX 32   // of them that are no page's socket; the oldest is ended for one more
#define HTTP_CHUNK 65536 // bytes of a file sent at a time
#define HOSTS_MAX 3

struct web_server {
    page_session *session;
    server_options options;
    struct lws_context *context;
    struct lws_vhost *vhost;
    char token[2 * TOKEN_BYTES + 1];
    char hosts[HOSTS_MAX][300]; // as a Host header names us
    int32_t host_count;
    char address[400];
    char policy[1400]; // Content-Security-Policy
    lws_sorted_usec_list_t tick;
    struct lws *waiting[WAITING_MAX + 1]; // the oldest first
    int32_t waiting_count;
    bool had_page;
};

// ---- who may talk ----

// Takes as long for a wrong text as for the right one; all know the length.
static bool same_secret(const char *given, const char *secret) {
    size_t size = strlen(secret);
    if (strlen(given) != size) {
        return false;
    }
    unsigned char difference = 0;
    for (size_t i = 0; i < size; i++) {
        difference |= (unsigned char)(given[i] ^ secret[i]);
    }
    return difference == 0;
}

static bool host_is_ours(const web_server *server, const char *host) {
    for (int32_t i = 0; i < server->host_count; i++) {
        if (strcasecmp(host, server->hosts[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool host_allowed(const web_server *server, struct lws *wsi) {
    char host[300];
    int length = lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST);
    return length > 0 && host_is_ours(server, host);
}

// needed: a request without an Origin is refused too. Browsers always send one with a WebSocket.
static bool origin_allowed(const web_server *server, struct lws *wsi, bool needed) {
    char origin[320];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) {
        return !needed;
    }
    int length = lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN);
    return length > 0 && strncmp(origin, "http://", 7) == 0 && host_is_ours(server, origin + 7);
}

static bool token_allowed(const web_server *server, struct lws *wsi) {
    char token[128] = "";
    const char *found = lws_get_urlarg_by_name(wsi, "token=", token, sizeof token);
    return found && same_secret(found, server->token);
}

// ---- files of the page ----

// How much of an asset a connection has been sent.
typedef struct http_session {
    const web_asset *asset;
    size_t sent;
} http_session;

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end) {
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       end) == 0;
}

static int http_head(const web_server *server, struct lws *wsi, unsigned status, const char *type,
                     size_t size) {
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start,
                                          *end = buffer + sizeof buffer - 1;
    bool good = lws_add_http_common_headers(wsi, status, type, size, &at, end) == 0 &&
                add_header(wsi, "content-security-policy:", server->policy, &at, end) &&
                add_header(wsi, "x-content-type-options:", "nosniff", &at, end) &&
                add_header(wsi, "referrer-policy:", "no-referrer", &at, end) &&
                add_header(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) &&
                add_header(wsi, "cross-origin-opener-policy:", "same-origin", &at, end) &&
                add_header(wsi, "cache-control:", "no-store", &at, end);
    return good && lws_finalize_write_http_header(wsi, start, &at, end) == 0 ? 0 : 1;
}

// A page of one sentence.
static int http_refuse(const web_server *server, struct lws *wsi, unsigned status,
                       const char *sentence) {
    unsigned char body[LWS_PRE + 512];
    int length = snprintf((char *)body + LWS_PRE, sizeof body - LWS_PRE, "%s\n", sentence);
    if (http_head(server, wsi, status, "text/plain; charset=utf-8", (size_t)length) != 0 ||
        lws_write(wsi, body + LWS_PRE, (size_t)length, LWS_WRITE_HTTP_FINAL) != length) {
        return 1;
    }
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int http_request(const web_server *server, struct lws *wsi, http_session *client,
                        const char *path) {
    if (!host_allowed(server, wsi) || !origin_allowed(server, wsi, false)) {
        return http_refuse(server, wsi, 403, "This server answers to its own page only.");
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0) {
        return http_refuse(server, wsi, 405, "There is nothing here to write to.");
    }
    const web_asset *asset = strcmp(path, "/replay.html") == 0 ? NULL : asset_find(path);
    if (!asset) {
        return http_refuse(server, wsi, 404, "There is no such thing here.");
    }
    if (strcmp(path, "/") == 0 && !token_allowed(server, wsi)) {
        return http_refuse(server, wsi, 403,
                           "The address has no token, or the wrong one. Open the address that "
                           "cairn prints when it starts.");
    }
    *client = (http_session){.asset = asset};
    if (http_head(server, wsi, 200, asset->type, asset->size) != 0) {
        return 1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int http_write(struct lws *wsi, http_session *client) {
    static const size_t max = HTTP_CHUNK;
    unsigned char *buffer;
    if (!client->asset) {
        return 0;
    }
    size_t left = client->asset->size - client->sent, piece = left < max ? left : max;
    buffer = ALLOCATE(unsigned char, (int64_t)(LWS_PRE + piece));
    memcpy(buffer + LWS_PRE, client->asset->data + client->sent, piece);
    int written = lws_write(wsi, buffer + LWS_PRE, piece,
                            piece == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    free(buffer);
    if (written < 0) {
        return -1;
    }
    client->sent += piece;
    if (client->sent < client->asset->size) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    client->asset = NULL;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static web_server *server_of(struct lws *wsi) {
    return lws_context_user(lws_get_context(wsi));
}

// ---- connections that are no page's socket ----

static void waiting_remove(web_server *server, const struct lws *wsi) {
    int32_t kept = 0;
    for (int32_t i = 0; i < server->waiting_count; i++) {
        if (server->waiting[i] != wsi) {
            server->waiting[kept++] = server->waiting[i];
        }
    }
    server->waiting_count = kept;
}

static void waiting_add(web_server *server, struct lws *wsi) {
    server->waiting[server->waiting_count++] = wsi;
    if (server->waiting_count > WAITING_MAX) {
        struct lws *oldest = server->waiting[0];
        waiting_remove(server, oldest);
        lws_set_timeout(oldest, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
}

static int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *client, void *in,
                         size_t size) {
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return http_request(server_of(wsi), wsi, client, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return http_write(wsi, client);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return 1; // a WebSocket without our subprotocol
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        waiting_add(server_of(wsi), wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        waiting_remove(server_of(wsi), wsi);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        session_update(server_of(wsi)->session, false);
        lws_callback_on_writable_all_protocol(
            lws_get_context(wsi), lws_vhost_name_to_protocol(lws_get_vhost(wsi), "cairn.1"));
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, client, in, size);
    }
}

// ---- the socket ----

typedef struct socket_session {
    web_page *page; // NULL: refused, to be closed with the code
    int32_t close_code;
    byte_buffer message; // as far as it has come
    int64_t before;      // bytes that were read before the first frame
    int64_t frames;      // bytes that all frames so far have with a mask
    int64_t payload;     // of the frame that is coming
} socket_session;

static int socket_close(struct lws *wsi, int32_t code) {
    lws_close_reason(wsi, (enum lws_close_status)code, NULL, 0);
    return -1;
}

// Bytes of a connection that were read so far; negative: not known.
static int64_t socket_read_bytes(struct lws *wsi) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    int handle = lws_get_socket_fd(wsi), unread = 0;
    bool known = getsockopt(handle, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
                 size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof(uint64_t) &&
                 ioctl(handle, FIONREAD, &unread) == 0;
    return known ? (int64_t)info.tcpi_bytes_received - unread : -1;
}

// Whether what came of a frame may have had a mask, as all that a browser sends has (RFC 6455,
// 5.1). The library does not tell; frames without one are four bytes shorter than they must be.
static bool socket_is_masked(struct lws *wsi, socket_session *client, size_t size) {
    client->payload += (int64_t)size;
    if (lws_remaining_packet_payload(wsi) > 0) {
        return true;
    }
    client->frames += 6 + client->payload + (client->payload > 125 ? 2 : 0);
    client->payload = 0;
    int64_t read = socket_read_bytes(wsi);
    return read < 0 || client->before < 0 || read - client->before >= client->frames;
}

static int socket_open(web_server *server, struct lws *wsi, socket_session *client) {
    *client = (socket_session){.before = socket_read_bytes(wsi)};
    waiting_remove(server, wsi);
    if (!token_allowed(server, wsi)) {
        client->close_code = CLOSE_TOKEN;
    } else if (!(client->page = page_open(server->session))) {
        client->close_code = CLOSE_PAGES;
    }
    server->had_page = server->had_page || client->page;
    lws_callback_on_writable(wsi); // a refusal is sent from there
    return 0;
}

static int socket_receive(web_server *server, struct lws *wsi, socket_session *client,
                          const void *in, size_t size) {
    if (!client->page || lws_frame_is_binary(wsi)) {
        return socket_close(wsi, client->page ? LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE
                                              : client->close_code);
    }
    if (!socket_is_masked(wsi, client, size)) {
        return socket_close(wsi, LWS_CLOSE_STATUS_PROTOCOL_ERR);
    }
    if (client->message.size + size > REQUEST_SIZE) {
        return socket_close(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
    }
    bytes_put(&client->message, in, size);
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) {
        return 0;
    }
    page_receive(server->session, client->page, (const char *)client->message.data,
                 client->message.size);
    client->message.size = 0;
    if (client->page->close_code) {
        return socket_close(wsi, client->page->close_code);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int socket_write(web_server *server, struct lws *wsi, socket_session *client) {
    outgoing next;
    if (!client->page || client->page->close_code) {
        return socket_close(wsi, client->page ? client->page->close_code : client->close_code);
    }
    if (page_next(server->session, client->page, &next)) {
        unsigned char *buffer = ALLOCATE(unsigned char, (int64_t)(LWS_PRE + next.bytes.size + 1));
        memcpy(buffer + LWS_PRE, next.bytes.data, next.bytes.size);
        int written = lws_write(wsi, buffer + LWS_PRE, next.bytes.size,
                                next.text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY);
        free(buffer);
        bytes_free(&next.bytes);
        if (written < 0) {
            return -1;
        }
    }
    if (page_has_more(server->session, client->page)) {
        lws_callback_on_writable(wsi);
    }
    return 0;
}

static int socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t size) {
    socket_session *client = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: {
        const web_server *server = server_of(wsi);
        char path[64] = "";
        lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
        bool allowed = host_allowed(server, wsi) && origin_allowed(server, wsi, true) &&
                       strcmp(path, "/ws") == 0;
        return allowed ? 0 : 1;
    }
    case LWS_CALLBACK_ESTABLISHED:
        return socket_open(server_of(wsi), wsi, client);
    case LWS_CALLBACK_RECEIVE:
        return socket_receive(server_of(wsi), wsi, client, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return socket_write(server_of(wsi), wsi, client);
    case LWS_CALLBACK_CLOSED:
        if (client->page) {
            page_close(server_of(wsi)->session, client->page);
            client->page = NULL;
        }
        bytes_free(&client->message);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols web_protocols[] = {
    {"http", http_callback, sizeof(http_session), 0, 0, NULL, 0},
    {"cairn.1", socket_callback, sizeof(socket_session), REQUEST_SIZE, 0, NULL, 0},
    {0}};

// ---- starting ----

// Whether a port of the address can be listened on, 0: any; else errno says why not.
static bool port_free(const char *address, int32_t port) {
    struct addrinfo hints = {.ai_family = AF_INET,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *found = NULL;
    char text[16];
    snprintf(text, sizeof text, "%d", (int)port);
    if (getaddrinfo(address, text, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return false;
    }
    int one = 1, handle = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    bool good = handle >= 0 &&
                setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                bind(handle, found->ai_addr, found->ai_addrlen) == 0 && listen(handle, 1) == 0;
    int problem = errno;
    if (handle >= 0) {
        close(handle);
    }
    freeaddrinfo(found);
    errno = problem;
    return good;
}

static bool make_token(char *token) {
    unsigned char random[TOKEN_BYTES];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return false;
    }
    for (size_t i = 0; i < sizeof random; i++) {
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    }
    return true;
}

// Names that we go by, and the rules that pages of ours live under.
static void server_name(web_server *server, int32_t port) {
    const char *address = server->options.address;
    bool everywhere = address && strcmp(address, "0.0.0.0") == 0;
    snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%d", (int)port);
    snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%d", (int)port);
    server->host_count = 2;
    if (everywhere) {
        // Others come by the machine's own name.
        char name[256] = "localhost";
        gethostname(name, sizeof name - 1);
        snprintf(server->hosts[2], sizeof server->hosts[2], "%s:%d", name, (int)port);
        server->host_count = 3;
    } else if (address) {
        snprintf(server->hosts[2], sizeof server->hosts[2], "%.250s:%d", address, (int)port);
        server->host_count = 3;
    }
    const char *shown = server->hosts[server->host_count == 3 ? 2 : 0];
    snprintf(server->address, sizeof server->address, "http://%s/?token=%s", shown, server->token);
    snprintf(
        server->policy, sizeof server->policy,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "font-src 'self' data:; worker-src 'self' blob:; connect-src 'self' ws://%s ws://%s%s%s; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        server->hosts[0], server->hosts[1], server->host_count == 3 ? " ws://" : "",
        server->host_count == 3 ? server->hosts[2] : "");
}

static void server_tick(lws_sorted_usec_list_t *list) {
    web_server *server = lws_container_of(list, web_server, tick);
    session_update(server->session, true);
    lws_callback_on_writable_all_protocol(server->context,
                                          lws_vhost_name_to_protocol(server->vhost, "cairn.1"));
    lws_sul_schedule(server->context, 0, &server->tick, server_tick, TICK_US);
}

// The address goes to the browser's command line, where other users of the machine can read the
// token while it starts; who minds opens it by hand (--no-browser).
static void open_browser(const char *address) {
    char *const argv[] = {"xdg-open", (char *)address, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
}

// Listens on a port, 0: any; false when it is taken, by somebody who was quicker even.
static bool server_listen(web_server *server, const char *address, int32_t port) {
    struct lws_context_creation_info info = {.port = port,
                                             .iface = address,
                                             .protocols = web_protocols,
                                             .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                                                        LWS_SERVER_OPTION_DISABLE_IPV6,
                                             .timeout_secs = 10,
                                             .keepalive_timeout = 5,
                                             .fd_limit_per_thread = SOCKETS_MAX,
                                             .user = server};
    if (!port_free(address, port)) {
        return false;
    }
    server->context = lws_create_context(&info);
    server->vhost = server->context ? lws_create_vhost(server->context, &info) : NULL;
    if (!server->vhost && server->context) {
        lws_context_destroy(server->context);
        server->context = NULL;
    }
    return server->vhost != NULL;
}

web_server *server_start(page_session *session, const server_options *options) {
    const char *address = options->address ? options->address : "127.0.0.1";
    int32_t port = options->port > 0 ? options->port : PORT;
    if (!asset_find("/")) {
        report_failure("%s: this cairn was built without its page (node and npm were not there)",
                       options->command);
        return NULL;
    }
    web_server *server = ALLOCATE(web_server, 1);
    server->session = session;
    server->options = *options;
    lws_set_log_level(0, NULL);
    bool listens =
        make_token(server->token) && (server_listen(server, address, port) ||
                                      (options->port == 0 && server_listen(server, address, 0)));
    if (!listens) {
        report_failure("%s: cannot listen on %s:%d: %s", options->command, address, (int)port,
                       strerror(errno));
        server_end(server);
        return NULL;
    }
    server_name(server, lws_get_vhost_listen_port(server->vhost));
    lws_sul_schedule(server->context, 0, &server->tick, server_tick, TICK_US);
    return server;
}

const char *server_address(const web_server *server) {
    return server->address;
}

void server_wake(void *server) {
    lws_cancel_service(((web_server *)server)->context);
}

void server_serve(web_server *server) {
    if (server->options.browser) {
        open_browser(server->address);
    }
    bool over = false;
    while (!over && !interrupted()) {
        over = lws_service(server->context, 0) < 0 ||
               (server->options.ends && server->session->ended && server->session->page_count == 0);
    }
}

void server_end(web_server *server) {
    if (server->context) {
        lws_context_destroy(server->context);
    }
    free(server);
}
