// tests/cli.h
// Running the command as a user does: in a fresh folder, with its exit code, output and errors.
//
//     cn_cli cli = cn_cli_enter();
//     assert_int_equal(cn_cli_run(&cli, "generate friction -o a.hdf5"), 0);
//     ... cli.out, cli.err ...
//     cn_cli_leave(&cli);
#ifndef CAIRN_TESTS_CLI_H
#define CAIRN_TESTS_CLI_H

#include "check.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cn_cli {
    char folder[64]; // current while the test runs
    char *out, *err; // of the last run
} cn_cli;

// The whole file as text; fails the test when it cannot be read.
static inline char *cn_file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_error("%s: cannot be read\n", path);
        fail();
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static inline void io_file_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CN_CHECK_TRUE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static inline cn_cli cn_cli_enter(void) {
    cn_cli cli = {.folder = "/tmp/cairn-test-XXXXXX"};
    CN_CHECK_TRUE(mkdtemp(cli.folder) && chdir(cli.folder) == 0);
    return cli;
}

static inline void cn_cli_leave(cn_cli *cli) {
    char remove[128];
    snprintf(remove, sizeof remove, "rm -rf '%s'", cli->folder);
    CN_CHECK_TRUE(chdir("/") == 0 && system(remove) == 0);
    free(cli->out);
    free(cli->err);
}

// `cairn ARGUMENTS` through the shell; returns the exit code.
static inline int cn_cli_run(cn_cli *cli, const char *arguments) {
    char line[4096];
    snprintf(line, sizeof line, "'%s' %s >.out 2>.err", CAIRN_COMMAND, arguments);
    int status = system(line);
    free(cli->out);
    free(cli->err);
    cli->out = cn_file_text(".out");
    cli->err = cn_file_text(".err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same, and the exit code must be this one.
#define CN_CLI_EXPECT(cli, code, arguments) cn_cli_expect(cli, code, arguments, __FILE__, __LINE__)
static inline void cn_cli_expect(cn_cli *cli, int code, const char *arguments, const char *file,
                                 int line) {
    int got = cn_cli_run(cli, arguments);
    if (got != code) {
        print_error("%s:%d: cairn %s: exit code %d, want %d\nstdout: %s\nstderr: %s\n", file, line,
                    arguments, got, code, cli->out, cli->err);
        fail();
    }
}

static inline void cn_check_holds(const char *text, const char *part, const char *file, int line) {
    if (!strstr(text, part)) {
        print_error("%s:%d: \"%s\" is not in:\n%s\n", file, line, part, text);
        fail();
    }
}
#define CN_CHECK_HOLDS(text, part) cn_check_holds(text, part, __FILE__, __LINE__)

static inline int cn_count_lines(const char *text) {
    int lines = 0;
    for (; *text; text++) {
        lines += *text == '\n';
    }
    return lines;
}

// Line number `index` of the output as a JSON object; to be deleted.
static inline cJSON *cn_cli_json(const cn_cli *cli, int index) {
    const char *line = cli->out;
    for (; index > 0 && line; index--) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    const char *end = NULL;
    cJSON *json = line ? cJSON_ParseWithOpts(line, &end, 0) : NULL;
    if (!json || !end || *end != '\n') {
        print_error("no JSON object on a line of its own in:\n%s\n", cli->out);
        fail();
    }
    return json;
}

static inline double io_json_number(const cJSON *json, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static inline const char *cn_json_string(const cJSON *json, const char *key) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));
    return text ? text : "(no string)";
}

// ---- fields of a line of JSON ----

// What the field of an object must be; key may be a path, "outcomes.solved".
typedef enum cn_field_kind { CN_FIELD_TEXT, CN_FIELD_NUMBER, CN_FIELD_TYPE } cn_field_kind;
typedef struct cn_field {
    const char *key;
    cn_field_kind kind;
    const char *text;
    double low, high; // of a number
    int type;         // of cJSON
} cn_field;
#define CN_TEXT(name, value)                                                                       \
    { .key = (name), .kind = CN_FIELD_TEXT, .text = (value) }
#define CN_NEAR(name, value, allowed)                                                              \
    {                                                                                              \
        .key = (name), .kind = CN_FIELD_NUMBER, .low = (value) - (allowed),                        \
        .high = (value) + (allowed)                                                                \
    }
#define CN_AT_MOST(name, limit)                                                                    \
    { .key = (name), .kind = CN_FIELD_NUMBER, .low = -HUGE_VAL, .high = (limit) }
#define CN_AT_LEAST(name, limit)                                                                   \
    { .key = (name), .kind = CN_FIELD_NUMBER, .low = (limit), .high = HUGE_VAL }
#define CN_IS_TRUE(name)                                                                           \
    { .key = (name), .kind = CN_FIELD_TYPE, .type = cJSON_True }
#define CN_IS_FALSE(name)                                                                          \
    { .key = (name), .kind = CN_FIELD_TYPE, .type = cJSON_False }
#define CN_IS_NULL(name)                                                                           \
    { .key = (name), .kind = CN_FIELD_TYPE, .type = cJSON_NULL }

static inline const cJSON *cn_json_at(const cJSON *json, const char *path) {
    char key[64];
    for (size_t length; json && *path; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = cJSON_GetObjectItemCaseSensitive(json, key);
    }
    return json;
}

static inline bool cn_field_is(const cn_field *want, const cJSON *item) {
    switch (want->kind) {
    case CN_FIELD_TEXT:
        return cJSON_IsString(item) && strcmp(item->valuestring, want->text) == 0;
    case CN_FIELD_NUMBER:
        return cJSON_IsNumber(item) && item->valuedouble >= want->low &&
               item->valuedouble <= want->high;
    default:
        return item && (item->type & 0xff) == want->type;
    }
}

static inline void cn_line_fields(const cn_cli *cli, int index, const cn_field *fields,
                                  size_t count, const char *file, int line) {
    cJSON *json = cn_cli_json(cli, index);
    for (size_t i = 0; i < count; i++) {
        const cn_field *want = &fields[i];
        const cJSON *item = cn_json_at(json, want->key);
        if (!cn_field_is(want, item)) {
            char *got = item ? cJSON_PrintUnformatted(item) : NULL;
            print_error("%s:%d: %s: got %s, ", file, line, want->key, got ? got : "nothing");
            if (want->kind == CN_FIELD_TEXT) {
                print_error("want \"%s\"\n", want->text);
            } else if (want->kind == CN_FIELD_NUMBER) {
                print_error("want from %.17g to %.17g\n", want->low, want->high);
            } else {
                print_error("want %s\n", want->type == cJSON_NULL   ? "null"
                                         : want->type == cJSON_True ? "true"
                                                                    : "false");
            }
            free(got);
            cJSON_Delete(json);
            fail();
            return;
        }
    }
    cJSON_Delete(json);
}

// Line number `index` of the output is an object with these fields.
#define CN_LINE_FIELDS(cli, index, ...)                                                            \
    do {                                                                                           \
        const cn_field fields_[] = {__VA_ARGS__};                                                  \
        cn_line_fields(cli, index, fields_, sizeof fields_ / sizeof *fields_, __FILE__, __LINE__); \
    } while (0)
// `cairn ARGUMENTS` ends with the exit code, and its first line is an object with these fields.
#define CN_CLI_FIELDS(cli, code, arguments, ...)                                                   \
    do {                                                                                           \
        CN_CLI_EXPECT(cli, code, arguments);                                                       \
        CN_LINE_FIELDS(cli, 0, __VA_ARGS__);                                                       \
    } while (0)
// The first line is an object with these keys in this order, and no other.
#define CN_LINE_KEYS(cli, keys)                                                                    \
    cn_line_keys(cli, keys, sizeof(keys) / sizeof *(keys), __FILE__, __LINE__)
static inline void cn_line_keys(const cn_cli *cli, const char *const *keys, size_t count,
                                const char *file, int line) {
    cJSON *json = cn_cli_json(cli, 0);
    const cJSON *item = json->child;
    for (size_t i = 0; i <= count; i++, item = item->next) {
        const char *got = item ? item->string : "no more", *want = i < count ? keys[i] : "no more";
        if (strcmp(got, want) != 0) {
            print_error("%s:%d: key %zu is %s, want %s\n", file, line, i, got, want);
            fail();
        }
        if (!item) {
            break;
        }
    }
    cJSON_Delete(json);
}

// Waits until the process has used so much CPU time, whatever else the machine does.
static inline bool cn_wait_until_busy(pid_t child, double seconds) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    for (int i = 0; i < 60000; i++) {
        unsigned long user = 0;
        FILE *file = fopen(path, "r");
        int fields =
            file ? fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu",
                          &user)
                 : 0;
        if (file) {
            fclose(file);
        }
        if (fields == 1 && (double)user >= seconds * (double)sysconf(_SC_CLK_TCK)) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

// Numbers become #, runs of blanks one blank: what is left must be as in tests/golden/NAME.txt.
// With CAIRN_UPDATE_GOLDEN in the environment the file is written instead.
static inline char *cn_normalise(const char *text) {
    char *out = calloc(strlen(text) + 1, 1);
    size_t used = 0;
    while (*text) {
        char *end = NULL;
        bool number = isdigit((unsigned char)*text) ||
                      ((*text == '-' || *text == '.') && isdigit((unsigned char)text[1]));
        if (number && (used == 0 || !isalpha((unsigned char)out[used - 1]))) {
            strtod(text, &end);
            text = end;
            out[used++] = '#';
        } else if (*text == ' ' && used > 0 && out[used - 1] == ' ') {
            text++;
        } else {
            out[used++] = *text++;
        }
    }
    return out;
}

static inline void cn_check_golden(const char *got, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/%s.txt", CAIRN_SOURCE_DIR, name);
    char *normal = cn_normalise(got);
    if (getenv("CAIRN_UPDATE_GOLDEN")) {
        io_file_write(path, normal, strlen(normal));
    }
    char *want = cn_file_text(path);
    if (strcmp(normal, want) != 0) {
        print_error("%s: differs; got:\n%s\n", path, normal);
        fail();
    }
    free(normal);
    free(want);
}

#endif
