// The YAML reader and writer: scalars, places, refusals, limits, round trips, failing memory.
#include "check.h"

#include "base/arena.h"
#include "failing_allocator.h"
#include "io/number.h"
#include "io/yaml/yaml.h"

#include <locale.h>
#include <string.h>

// The tree of a text that must be good.
static io_yaml *read_good(cn_arena *memory, const char *text) {
    io_yaml *node = NULL;
    cn_error error = {0};
    if (io_yaml_read(memory, "t.yaml", text, strlen(text), &node, &error) != CN_OK) {
        char shown[1024];
        print_error("%s\n", cn_error_format(&error, shown, sizeof shown));
        fail();
    }
    return node;
}

// A text that must be refused as invalid, with this whole error.
static void check_refused(const char *text, const char *wanted) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *node = NULL;
    cn_error error = {0};
    char shown[1024];
    CN_CHECK_TRUE(io_yaml_read(memory, "t.yaml", text, strlen(text), &node, &error) ==
                  CN_ERR_INPUT);
    CN_CHECK_TRUE(node == NULL);
    if (!strstr(cn_error_format(&error, shown, sizeof shown), wanted)) {
        print_error("%s\nis not in: %s\n", wanted, shown);
        fail();
    }
    cn_arena_destroy(memory);
}

static void check_kind(const char *scalar, io_yaml_kind kind) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *node = read_good(memory, scalar);
    if (node->kind != kind) {
        print_error("%s is of kind %d, not %d\n", scalar, (int)node->kind, (int)kind);
        fail();
    }
    cn_arena_destroy(memory);
}

CN_TEST(scalars_are_those_of_the_core_schema) {
    static const char *const numbers[] = {"0",
                                          "-12",
                                          "+3",
                                          "007",
                                          "1.",
                                          ".5",
                                          "1e3",
                                          "-.5",
                                          "1E+3",
                                          "0x1f",
                                          "0o17",
                                          "1.5e-3",
                                          ".inf",
                                          "-.Inf",
                                          ".nan",
                                          "+.INF",
                                          "1234567890123456789"};
    static const char *const texts[] = {"yes",  "no",   "on",    "1_000",  "0b1",   "1e",  "e3",
                                        ".",    "a-",   "+",     "nan",    "inf",   "0x",  "1.2.3",
                                        "'12'", "0x1g", "\"1\"", "- .nan", "12:30", "1 2", "--1"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        check_kind(numbers[i], IO_YAML_NUMBER);
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_kind(texts[i], strcmp(texts[i], "- .nan") == 0 ? IO_YAML_LIST : IO_YAML_TEXT);
    }
    check_kind("True", IO_YAML_BOOL);
    check_kind("false", IO_YAML_BOOL);
    check_kind("~", IO_YAML_NULL);
    check_kind("null", IO_YAML_NULL);
    check_kind("", IO_YAML_NULL);
    check_kind("# only a comment\n", IO_YAML_NULL);
}

CN_TEST(numbers_have_their_values) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *list = read_good(memory, "[0.1, -2.5e-3, 0x1F, 0o17, 1e400, -.inf, 5e-324, .nan]");
    static const double wanted[] = {0.1, -2.5e-3, 31, 15, INFINITY, -INFINITY, 5e-324};
    for (int i = 0; i < 7; i++) {
        CN_CHECK_TRUE(list->item[i]->number == wanted[i]);
    }
    CN_CHECK_TRUE(isnan(list->item[7]->number));
    cn_arena_destroy(memory);
}

CN_TEST(numbers_do_not_follow_the_locale) {
    cn_arena *memory = cn_arena_create(NULL);
    bool comma = setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8");
    io_yaml *node = read_good(memory, "1.5");
    char text[IO_NUMBER_TEXT_MAX];
    io_number_text(0.25, text);
    setlocale(LC_NUMERIC, "C");
    CN_CHECK_NEAR(node->number, 1.5, 0.0);
    assert_string_equal(text, "0.25");
    cn_arena_destroy(memory);
    if (!comma) {
        CN_SKIP("no locale with a decimal comma is installed");
    }
}

CN_TEST(numbers_print_short_and_read_back) {
    static const double values[] = {0.1,    1.0 / 3.0,           1e-8,      9.81,     -0.0, 1e300,
                                    5e-324, 0.30000000000000004, 123456789, 2.0 / 3.0};
    char text[IO_NUMBER_TEXT_MAX];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double back;
        CN_CHECK_TRUE(io_number_parse(io_number_text(values[i], text), &back));
        CN_CHECK_TRUE(memcmp(&back, &values[i], sizeof back) == 0);
    }
    assert_string_equal(io_number_text(0.1, text), "0.1");
    assert_string_equal(io_number_text(9.81, text), "9.81");
}

CN_TEST(nodes_know_their_place) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *root = read_good(memory, "a: 1\nlist:\n  - x\n  - {b: [1, 2]}\nü: \"q\"\n");
    CN_CHECK_TRUE(root->kind == IO_YAML_MAP && root->count == 3);
    const io_yaml *inner = io_yaml_get(io_yaml_get(root, "list")->item[1], "b")->item[1];
    CN_CHECK_TRUE(inner->line == 4 && inner->column == 13);
    const io_yaml *key = io_yaml_key(root, "list");
    CN_CHECK_TRUE(key->line == 2 && key->column == 1);
    const io_yaml *text = io_yaml_get(root, "ü");
    CN_CHECK_TRUE(text->line == 5 && text->column == 4 && text->quoted); // columns are characters
    assert_string_equal(text->file, "t.yaml");
    CN_CHECK_TRUE(io_yaml_get(root, "absent") == NULL && io_yaml_get(text, "a") == NULL);
    cn_arena_destroy(memory);
}

CN_TEST(json_is_yaml) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *root = read_good(memory, "{\"a\":1,\n\t\"b\":[true,null,\"x\\ny\"],\"c\":{}}");
    CN_CHECK_TRUE(io_yaml_get(root, "a")->number == 1.0);
    const io_yaml *list = io_yaml_get(root, "b");
    CN_CHECK_TRUE(list->count == 3 && list->item[0]->truth && list->item[1]->kind == IO_YAML_NULL);
    assert_string_equal(list->item[2]->text, "x\ny");
    cn_arena_destroy(memory);
}

CN_TEST(aliases_become_copies) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *root = read_good(memory, "a: &one {x: [1, 2]}\nb: *one\n");
    io_yaml *a = io_yaml_get(root, "a");
    io_yaml *b = io_yaml_get(root, "b");
    CN_CHECK_TRUE(io_yaml_put(memory, b, io_yaml_new_text(memory, "y", NULL),
                              io_yaml_new_number(memory, 3, NULL)));
    CN_CHECK_TRUE(io_yaml_append(memory, io_yaml_get(b, "x"), io_yaml_new_number(memory, 3, NULL)));
    CN_CHECK_TRUE(a->count == 1 && b->count == 2);
    CN_CHECK_TRUE(io_yaml_get(a, "x")->count == 2 && io_yaml_get(b, "x")->count == 3);
    cn_arena_destroy(memory);
}

CN_TEST(what_is_refused_is_pointed_at) {
    check_refused("a: 1\nb: 2\na: 3\n",
                  "t.yaml:3:1: duplicate key \"a\"; it is first given in line 1");
    check_refused("a: !!str 1\n", "t.yaml:1:4: tags such as !!str are not supported");
    check_refused("a: !x [1]\n", "t.yaml:1:4: tags such as !!map are not supported");
    check_refused("a: 1\n---\nb: 1\n", "t.yaml:2:1: a second document starts here");
    check_refused("? [1]\n: 2\n", "t.yaml:1:3: a key must be a word, not a list or a map");
    check_refused("a: *b\n", "t.yaml:1:4: there is no anchor \"&b\" before this alias");
    check_refused("a: &b [*b]\n", "t.yaml:1:8: an alias stands inside its own anchor");
    check_refused("a: \"x\\0y\"\n", "t.yaml:1:4: the text has a zero byte");
    check_refused("a: [1, 2\nb: 3\n",
                  "t.yaml:1:4: the list that starts here is not closed; a comma "
                  "or \"]\" is missing before line 2");
    check_refused("a: 1\n\tb: 2\n",
                  "t.yaml:2:1: this line is indented with a tab; indent with spaces only");
    check_refused("a: \xff\n", "t.yaml:1:4: the byte 0xFF is not UTF-8 text; ");
}

// Each in words of our own, at the place to be changed.
CN_TEST(syntax_errors_say_what_to_change) {
    static const char *const cases[][2] = {
        {"a:\n  b: 1\n   c: 2\n",
         "t.yaml:3:4: the indentation of this line (3) fits no line above"},
        {"a:\n    b: 1\n  c: 2\n",
         "t.yaml:3:3: the indentation of this line (2) fits no line above"},
        {"a: x: y\n",
         "t.yaml:1:5: a value cannot hold a colon followed by a blank; put the text in"},
        {"a: 1\nb 3\nc: 1\n", "t.yaml:2:1: \"b 3\" has no colon; write key: value"},
        {"a: 1\nb:3\nc: 1\n", "t.yaml:2:3: a blank is missing after the colon; write key: value"},
        {"a: {b: 1\nc: 2\n",
         "t.yaml:1:4: the map that starts here is not closed; a comma or \"}\""},
        {"a: [1 2, {b: 1} 3]\n", "t.yaml:1:17: the list that starts in column 4 does not go on"},
        {"a: \"x\nb: 1\n", "t.yaml:1:4: the text in quotes that starts here is not closed; "},
        {"a: \"C:\\dir\"\n",
         "in double quotes, \\ must start one of the escapes of YAML, as \\n; use"},
        {"a: @x\n", "t.yaml:1:4: a text cannot start with @; put the text in quotes, as \"@\""},
        {"a: [*, b]\n", "t.yaml:1:5: a text cannot start with *; put the text in quotes, as \"*\""},
        {"a: - b\n", "t.yaml:1:4: an entry of a list cannot start here; start a new line for each"},
        {"a:\n  - b: 1\n  c: 2\n",
         "t.yaml:3:3: this line is in the column of a list's entries and"},
        {"a: [, b]\n", "t.yaml:1:5: a value is missing here; write one, or take the comma away"},
        {"a: |x\n  y\n", "after | or > the text must start on the next line; "},
        {"\xff\xfe"
         "a\0",
         "t.yaml:1:1: the text is encoded as UTF-16; save the file as UTF-8"},
        {"a: caf\xe9\n", "t.yaml:1:7: the byte 0xE9 is not UTF-8 text; the file is probably in "
                         "Latin-1 (Windows-1252); save it as UTF-8"},
        {"a: \x07\n", "t.yaml:1:4: there is a control character (byte 0x07); delete it"},
        {"a: &b [1]\n%x\n", "t.yaml:2:3: this is not YAML; one key: value per line, "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_refused(cases[i][0], cases[i][1]);
    }
}

// As Windows programs write it.
CN_TEST(a_byte_order_mark_is_no_text) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *node = NULL;
    const char text[] = "\xEF\xBB\xBF"
                        "a: 1\r\nb: 2\r\n";
    assert_int_equal(io_yaml_read(memory, "t.yaml", text, sizeof text - 1, &node, NULL), CN_OK);
    assert_int_equal(node->count, 2);
    assert_string_equal(node->key[0]->text, "a");
    assert_int_equal(node->key[0]->column, 1);
    cn_arena_destroy(memory);
}

CN_TEST(depth_is_limited) {
    char text[2 * IO_YAML_DEPTH_MAX + 1] = "";
    for (int i = 0; i < IO_YAML_DEPTH_MAX; i++) {
        strcat(text, "[");
    }
    char wanted[128];
    char deeper[sizeof text + 2];
    snprintf(deeper, sizeof deeper, "%s[", text);
    snprintf(wanted, sizeof wanted, "t.yaml:1:%d: lists and maps are too deep inside each other",
             IO_YAML_DEPTH_MAX + 1);
    check_refused(deeper, wanted);
    for (int i = 0; i < IO_YAML_DEPTH_MAX; i++) {
        strcat(text, "]");
    }
    cn_arena *memory = cn_arena_create(NULL);
    CN_CHECK_TRUE(read_good(memory, text)->kind == IO_YAML_LIST);
    cn_arena_destroy(memory);
}

CN_TEST(a_billion_laughs_are_refused) {
    char text[2048] = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for (int i = 1; i < 12; i++) {
        char line[160];
        snprintf(line, sizeof line, "a%d: &a%d [", i, i);
        strcat(text, line);
        for (int j = 0; j < 10; j++) {
            snprintf(line, sizeof line, "*a%d%s", i - 1, j < 9 ? ", " : "]\n");
            strcat(text, line);
        }
    }
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *node;
    cn_error error;
    CN_CHECK_TRUE(io_yaml_read(memory, "t.yaml", text, strlen(text), &node, &error) ==
                  CN_ERR_INPUT);
    assert_string_equal(error.message, "the aliases stand for too many nodes");
    CN_CHECK_TRUE(error.line == 6);
    cn_arena_destroy(memory);
}

CN_TEST(keys_of_a_map_are_limited) {
    cn_arena *memory = cn_arena_create(NULL);
    size_t room = 16 * (IO_YAML_KEYS_MAX + 1);
    char *text = BASE_TAKE_ZERO(memory, char, room);
    size_t used = 0;
    for (int i = 0; i <= IO_YAML_KEYS_MAX; i++) {
        used += (size_t)snprintf(text + used, room - used, "k%d: 1\n", i);
    }
    io_yaml *node;
    cn_error error;
    CN_CHECK_TRUE(io_yaml_read(memory, "t.yaml", text, used, &node, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(error.line == IO_YAML_KEYS_MAX + 1);
    cn_arena_destroy(memory);
}

static bool same_tree(const io_yaml *a, const io_yaml *b) {
    if (a->kind != b->kind || a->count != b->count) {
        return false;
    }
    if (a->kind == IO_YAML_NUMBER) {
        return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    }
    if (a->kind == IO_YAML_TEXT) {
        return strcmp(a->text, b->text) == 0;
    }
    for (int32_t i = 0; i < a->count; i++) {
        if (!same_tree(a->item[i], b->item[i]) ||
            (a->key && strcmp(a->key[i]->text, b->key[i]->text) != 0)) {
            return false;
        }
    }
    return a->kind != IO_YAML_BOOL || a->truth == b->truth;
}

CN_TEST(what_is_written_reads_back) {
    static const char *const texts[] = {
        "a: 1\nb: {c: [1, 2.50, -0.0, .inf], d: text with spaces}\n",
        "- - - 1\n    - 2\n- {a: {b: {c: {d: {e: {f: 1}}}}}}\n- []\n- {}\n- null\n- 'null'\n- "
        "'yes'\n",
        "\"a: b\": \"x # y\"\n'1': \"tab\\there \\x7f \\\\ \\\" \\u00fc \\u2028 \\N end\\n\"\n",
        "rows: |\n  name,x\n  a,1\n\n  b,2\ntail: |+\n  x\n\n",
        "long: [aaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, "
        "cccccccccccccccccccccccccccc, ddddddddddddddddddddd]\n",
        "[[1, 2], {a: [3, {b: |\n lines\n  more\n", // not good YAML: skipped below
        "~",
        "12",
        "'12'",
        "[]"};
    cn_arena *memory = cn_arena_create(NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        io_yaml *first;
        io_yaml *second;
        if (io_yaml_read(memory, "t.yaml", texts[i], strlen(texts[i]), &first, NULL) != CN_OK) {
            continue;
        }
        base_buffer out;
        base_buffer_init(&out, NULL);
        CN_CHECK_TRUE(io_yaml_write(first, &out));
        cn_error error = {0};
        if (io_yaml_read(memory, "out.yaml", (char *)out.data, out.size, &second, &error) !=
                CN_OK ||
            !same_tree(first, second)) {
            print_error("%.*s\n%s\n", (int)out.size, (char *)out.data, error.message);
            fail();
        }
        base_buffer_free(&out);
    }
    cn_arena_destroy(memory);
}

CN_TEST(files_that_are_missing_or_folders_are_named) {
    cn_arena *memory = cn_arena_create(NULL);
    io_yaml *node;
    cn_error error;
    CN_CHECK_TRUE(io_yaml_read_file(memory, "no/such.yaml", false, &node, &error) == CN_ERR_IO);
    assert_string_equal(error.file, "no/such.yaml");
    CN_CHECK_TRUE(io_yaml_read_file(memory, CAIRN_SOURCE_DIR, false, &node, &error) == CN_ERR_IO);
    assert_string_equal(error.file, CAIRN_SOURCE_DIR);
    cn_arena_destroy(memory);
}

CN_TEST(failing_memory_is_an_error_and_nothing_leaks) {
    char text[20000] = "";
    for (int i = 0; i < 800; i++) {
        strcat(text, "- [a, b, {c: d}]\n");
    }
    for (int64_t k = 1;; k++) {
        cn_failing failing;
        cn_env env = cn_failing_env(&failing, k);
        cn_arena *memory = cn_arena_create(&env);
        io_yaml *node = NULL;
        cn_error error;
        cn_status status = memory
                               ? io_yaml_read(memory, "t.yaml", text, strlen(text), &node, &error)
                               : CN_ERR_MEMORY;
        cn_arena_destroy(memory);
        CN_CHECK_TRUE(failing.live == 0);
        if (!failing.failed) {
            CN_CHECK_TRUE(status == CN_OK && k > 3);
            return;
        }
        CN_CHECK_TRUE(status == CN_ERR_MEMORY && node == NULL);
    }
}
