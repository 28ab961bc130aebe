// io/number.c
// strtod and snprintf round correctly but follow LC_NUMERIC; uselocale gives this thread the C
// locale for the one call. What strtod takes beyond decimal numbers (hexadecimal, nan, inf, blanks)
// is refused before it sees the text.
#include "io/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t cn_digits(const char *text) {
    return strspn(text, "0123456789");
}

static bool cn_is_decimal(const char *text) {
    text += *text == '+' || *text == '-';
    size_t whole = cn_digits(text);
    text += whole;
    size_t part = 0;
    if (*text == '.') {
        part = cn_digits(++text);
        text += part;
    }
    if (whole + part == 0) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '+' || *text == '-';
        size_t exponent = cn_digits(text);
        text += exponent;
        return exponent > 0 && *text == '\0';
    }
    return *text == '\0';
}

// The C library keeps "C" ready, so newlocale takes no memory for it and cannot fail.
static locale_t cn_locale_enter(locale_t *own) {
    *own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*own);
}

static void cn_locale_leave(locale_t own, locale_t before) {
    uselocale(before);
    freelocale(own);
}

bool cn_number_parse(const char *text, double *value) {
    if (!cn_is_decimal(text)) {
        return false;
    }
    locale_t own;
    locale_t before = cn_locale_enter(&own);
    *value = strtod(text, NULL);
    cn_locale_leave(own, before);
    return true;
}

const char *cn_number_text(double value, char text[CN_NUMBER_TEXT_MAX]) {
    locale_t own;
    locale_t before = cn_locale_enter(&own);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, CN_NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    cn_locale_leave(own, before);
    return text;
}
