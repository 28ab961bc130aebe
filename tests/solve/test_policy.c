// The policy of the default solver: docs/design/default-solver.md has every row of it, as it is.
#include "check.h"
#include "io/file.h"
#include "solve/drivers/policy.h"

#include <stdlib.h>
#include <string.h>

#define PAGE CAIRN_SOURCE_DIR "/docs/design/default-solver.md"

// The text from the n-th bar of a table's row to the next one, without blanks.
static void cell(const char *row, int n, char *out, size_t size) {
    for (; n > 0 && row; n--) {
        row = strchr(row + 1, '|');
    }
    assert_non_null(row);
    row += 1 + strspn(row + 1, " ");
    size_t length = strcspn(row, "|\n");
    while (length > 0 && row[length - 1] == ' ') {
        length--;
    }
    assert_true(length < size);
    memcpy(out, row, length);
    out[length] = '\0';
}

CN_TEST(page_has_the_values_in_use) {
    base_buffer bytes;
    cn_error error;
    base_buffer_init(&bytes, NULL);
    assert_int_equal(io_file_read(PAGE, &bytes, &error), CN_OK);
    assert_true(base_buffer_append(&bytes, "", 1));
    const char *page = (const char *)bytes.data;
    int32_t rows = 0, on_page = 0;
    for (const gs_policy_row *row; (row = gs_policy_row_at(rows)); rows++) {
        char start[80], text[200];
        snprintf(start, sizeof start, "| `%s` |", row->name);
        const char *line = strstr(page, start);
        if (!line) {
            print_message("%s is not on the page\n", row->name);
        }
        assert_non_null(line);
        cell(line, 1, text, sizeof text);
        CN_CHECK_NEAR(strtod(text, NULL), row->value, 0.0);
        cell(line, 2, text, sizeof text);
        assert_string_equal(text, row->unit);
        cell(line, 3, text, sizeof text);
        assert_string_equal(text, row->meaning);
        cell(line, 4, text, sizeof text);
        assert_string_equal(text, row->measured_on);
    }
    for (const char *at = page; (at = strstr(at, "\n| `")); at++) {
        on_page++;
    }
    assert_int_equal(on_page, rows);
    base_buffer_free(&bytes);
}
