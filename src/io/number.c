// io/number.c
// strtod and snprintf round correctly but follow LC_NUMERIC; uselocale gives this thread the C
// locale for the one call. What strtod takes beyond decimal numbers (hexadecimal, nan, inf, blanks)
// is refused before it sees the text.
#include "io/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t digits_length(const char *text, size_t length) {
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

static size_t sign_length(const char *text, size_t length) {
    return length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
}

bool io_number_is_decimal(const char *text, size_t length) {
    size_t at = sign_length(text, length);
    size_t digits = digits_length(text + at, length - at);
    at += digits;
    if (at < length && text[at] == '.') {
        at++;
        size_t part = digits_length(text + at, length - at);
        at += part;
        digits += part;
    }
    if (digits > 0 && at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += sign_length(text + at, length - at);
        digits = digits_length(text + at, length - at);
        at += digits;
    }
    return digits > 0 && at == length;
}

// The C library keeps "C" ready, so newlocale takes no memory for it and cannot fail.
static locale_t locale_enter(locale_t *own) {
    *own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*own);
}

static void locale_leave(locale_t own, locale_t before) {
    uselocale(before);
    freelocale(own);
}

bool io_number_parse(const char *text, double *value) {
    if (!io_number_is_decimal(text, strlen(text))) {
        return false;
    }
    locale_t own;
    locale_t before = locale_enter(&own);
    *value = strtod(text, NULL);
    locale_leave(own, before);
    return true;
}

const char *io_number_text(double value, char text[IO_NUMBER_TEXT_MAX]) {
    locale_t own;
    locale_t before = locale_enter(&own);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, IO_NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    locale_leave(own, before);
    return text;
}
