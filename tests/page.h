// tests/page.h
// A page without a browser: starts `cairn view` or `cairn run --live` as a user does and talks to
// it over plain sockets, well or badly.
#ifndef CAIRN_TESTS_PAGE_H
#define CAIRN_TESTS_PAGE_H

#include "cli.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>

extern char **environ;

typedef struct view_server {
    pid_t pid;
    FILE *out;
    int port;
    char token[64];
    bool absent; // the build has no page or no server
} view_server;

// argv without the command. The address is read from standard output, or standard error.
static inline view_server view_start(const char *const *argv, int stream) {
    view_server server = {.pid = -1};
    int ends[2];
    char *words[16] = {(char *)(uintptr_t)CAIRN_COMMAND};
    for (int i = 0; argv[i]; i++) {
        words[i + 1] = (char *)(uintptr_t)argv[i];
    }
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
    posix_spawn_file_actions_addopen(&actions, stream == 1 ? 2 : 1, "other.txt",
                                     O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_int_equal(posix_spawn(&server.pid, CAIRN_COMMAND, &actions, NULL, words, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    server.out = fdopen(ends[0], "r");
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, server.out)) {
        const char *at = strstr(line, "http://127.0.0.1:");
        found = at && sscanf(at, "http://127.0.0.1:%d/?token=%63[0-9a-f]", &server.port,
                             server.token) == 2;
    }
    if (!found) {
        char *said = cn_file_text("other.txt");
        server.absent = strstr(said, "was built without") != NULL;
        if (!server.absent) {
            print_error("no address; it said: %s\n", said);
            fail();
        }
        free(said);
    }
    return server;
}

#define VIEW_START(name, ...)                                                                      \
    view_server name = view_start((const char *const[]){__VA_ARGS__, NULL}, 1);                    \
    if (name.absent) {                                                                             \
        CN_SKIP("this build has no page or no server");                                            \
    }

// Ctrl-C; returns the exit code. Under the address sanitizer a leak is one.
static inline int view_stop(view_server *server) {
    int status = 0;
    kill(server->pid, SIGINT);
    assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
    fclose(server->out);
    if (WIFSIGNALED(status)) {
        print_error("the server was ended by signal %d\n", WTERMSIG(status));
        fail();
    }
    return WEXITSTATUS(status);
}

// ---- connections ----

#define PAGE_PATIENCE_MS 60000 // a test fails rather than hang
#define PAGE_MESSAGES 20000    // that are passed over while waiting for one, likewise

static inline int page_connect(const view_server *server) {
    int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)server->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(handle, (struct sockaddr *)&address, sizeof address), 0);
    return handle;
}

// What the other side takes of it; it may hang up at any time.
static inline void page_write(int handle, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t sent = send(handle, at, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return;
        }
        at += sent;
        size -= (size_t)sent;
    }
}

// false: the other side has hung up.
static inline bool page_read(int handle, void *data, size_t size) {
    char *at = data;
    while (size > 0) {
        struct pollfd wait = {.fd = handle, .events = POLLIN};
        if (poll(&wait, 1, PAGE_PATIENCE_MS) <= 0) {
            print_error("the server did not answer\n");
            fail();
        }
        ssize_t got = recv(handle, at, size, 0);
        if (got <= 0) {
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

// Sends the text and returns the status of the answer, 0: none. Headers go to head.
static inline int page_http(int handle, const char *text, char *head, size_t room) {
    size_t used = 0;
    int status = 0;
    page_write(handle, text, strlen(text));
    head[0] = '\0';
    while (used + 1 < room && !strstr(head, "\r\n\r\n") && page_read(handle, head + used, 1)) {
        head[++used] = '\0';
    }
    sscanf(head, "HTTP/1.1 %d", &status);
    return status;
}

// The status of one request on a connection of its own.
static inline int page_ask(const view_server *server, const char *text) {
    char head[4096];
    int handle = page_connect(server), status = page_http(handle, text, head, sizeof head);
    close(handle);
    return status;
}

// The upgrade; parts that are NULL are as they should be. Returns the status, 101 when accepted.
static inline int page_upgrade(const view_server *server, int handle, const char *host,
                               const char *origin, const char *token, const char *protocol) {
    char text[1024], head[4096], own[64];
    snprintf(own, sizeof own, "127.0.0.1:%d", server->port);
    snprintf(text, sizeof text,
             "GET /ws?token=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: "
             "Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: "
             "13\r\n%s%s%s%s%s%s\r\n",
             token ? token : server->token, host ? host : own,
             "Origin: ", origin ? origin : "http://", origin ? "" : own, "\r\n",
             protocol ? protocol : "Sec-WebSocket-Protocol: cairn.1", "\r\n");
    return page_http(handle, text, head, sizeof head);
}

static inline int page_open(const view_server *server) {
    int handle = page_connect(server);
    assert_int_equal(page_upgrade(server, handle, NULL, NULL, NULL, NULL), 101);
    return handle;
}

// A frame of a WebSocket with an opcode, masked as a browser's.
static inline void page_frame(int handle, int opcode, const void *data, size_t size) {
    unsigned char head[14] = {(unsigned char)(0x80 | opcode)};
    size_t used = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)size;
        used = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++) {
            head[2 + i] = (unsigned char)((uint64_t)size >> (56 - 8 * i));
        }
        used = 10;
    }
    used += 4; // a mask of zeros
    page_write(handle, head, used);
    page_write(handle, data, size);
}

static inline void page_say(int handle, const char *text) {
    page_frame(handle, 1, text, strlen(text));
}

typedef struct page_message {
    int opcode; // 1 text, 2 binary, 8 close; 0: the connection is gone
    unsigned char *data;
    size_t size;
} page_message;

// The next message, whole; to be freed.
static inline page_message page_next(int handle) {
    page_message message = {0};
    unsigned char head[2], more[8];
    do {
        if (!page_read(handle, head, 2)) {
            free(message.data);
            return (page_message){0};
        }
        size_t size = head[1] & 127, extra = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (extra && !page_read(handle, more, extra)) {
            free(message.data);
            return (page_message){0};
        }
        for (size_t i = 0; i < extra; i++) {
            size = (i == 0 ? 0 : size << 8) | more[i];
        }
        message.data = realloc(message.data, message.size + size + 1);
        if (!page_read(handle, message.data + message.size, size)) {
            free(message.data);
            return (page_message){0};
        }
        message.size += size;
        message.data[message.size] = 0;
        message.opcode = head[0] & 15 ? head[0] & 15 : message.opcode;
    } while (!(head[0] & 0x80));
    return message;
}

// The code with which the server closes; messages before that are passed over. -1: without one.
static inline int page_close_code(int handle) {
    for (;;) {
        page_message message = page_next(handle);
        int code =
            message.opcode == 8 && message.size >= 2 ? message.data[0] << 8 | message.data[1] : -1;
        bool over = message.opcode == 8 || message.opcode == 0;
        free(message.data);
        if (over) {
            return code;
        }
    }
}

// The next JSON message with this op; others are passed over. To be deleted.
static inline cJSON *page_wait_op(int handle, const char *op) {
    for (int i = 0; i < PAGE_MESSAGES; i++) {
        page_message message = page_next(handle);
        if (message.opcode == 0 || message.opcode == 8) {
            print_error("hung up while waiting for %s\n", op);
            fail();
        }
        cJSON *json = message.opcode == 1 ? cJSON_Parse((const char *)message.data) : NULL;
        free(message.data);
        if (json && strcmp(cn_json_string(json, "op"), op) == 0) {
            return json;
        }
        cJSON_Delete(json);
    }
    print_error("%s does not come\n", op);
    fail();
    return NULL;
}

static inline uint32_t page_u32(const page_message *message, size_t at) {
    CN_CHECK_TRUE(at + 4 <= message->size);
    return (uint32_t)message->data[at] | (uint32_t)message->data[at + 1] << 8 |
           (uint32_t)message->data[at + 2] << 16 | (uint32_t)message->data[at + 3] << 24;
}

static inline double page_f32(const page_message *message, size_t at) {
    uint32_t bits = page_u32(message, at);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

static inline double page_f64(const page_message *message, size_t at) {
    uint64_t bits = page_u32(message, at) | (uint64_t)page_u32(message, at + 4) << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The next binary message of a type; its length must be what its header says.
static inline page_message page_wait_type(int handle, uint32_t type) {
    for (int i = 0; i < PAGE_MESSAGES; i++) {
        page_message message = page_next(handle);
        if (message.opcode == 0 || message.opcode == 8) {
            print_error("hung up while waiting for type %u\n", type);
            fail();
        }
        if (message.opcode == 2) {
            assert_memory_equal(message.data, "CRN1", 4);
            assert_int_equal(page_u32(&message, 28) + 32, message.size);
            if ((page_u32(&message, 4) & 0xffff) == type) {
                return message;
            }
        }
        free(message.data);
    }
    print_error("a message of type %u does not come\n", type);
    fail();
    return (page_message){0};
}

// Whether a newcomer still gets an answer.
static inline void page_check_alive(const view_server *server) {
    int handle = page_open(server);
    page_say(handle, "{\"op\":\"hello\",\"v\":1}");
    cJSON_Delete(page_wait_op(handle, "hello"));
    close(handle);
}

#endif
