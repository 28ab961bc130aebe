// app/support/facts.c
// Facts as JSON at once, as texts until their lines are printed; see facts.h.
#include "support/facts.h"

#include "support/support.h"
#include "support/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

fact_list facts_start(FILE *out, bool json) {
    fact_list list = {.out = out, .is_json = json, .json = put_start(out)};
    if (json) {
        put_open(&list.json, NULL, '{');
    }
    return list;
}

void facts_end(fact_list *list) {
    if (list->is_json) {
        put_close(&list->json, '}');
        put_end(&list->json);
    }
    for (int32_t i = 0; i < list->count; i++) {
        free(list->facts[i].text);
    }
    free(list->facts);
}

// Takes text over. Elements of arrays have no key: no line can name them.
static void add_fact(fact_list *list, const char *key, char *text) {
    if (!key) {
        free(text);
        return;
    }
    list->facts = reallocate(list->facts, list->count + 1, sizeof *list->facts);
    list->facts[list->count++] = (fact){key, text};
}

void fact_text(fact_list *list, const char *key, const char *value) {
    if (list->is_json) {
        put_text(&list->json, key, value);
    } else {
        add_fact(list, key, format_text("%s", value ? value : ""));
    }
}

void fact_int(fact_list *list, const char *key, int64_t value) {
    if (list->is_json) {
        put_int(&list->json, key, value);
    } else {
        add_fact(list, key, format_text("%lld", (long long)value));
    }
}

void fact_real(fact_list *list, const char *key, int32_t digits, double value) {
    if (list->is_json) {
        put_real(&list->json, key, value);
    } else {
        add_fact(list, key, format_text("%.*g", (int)digits, value));
    }
}

void fact_bool(fact_list *list, const char *key, bool value, const char *yes, const char *no) {
    if (list->is_json) {
        put_bool(&list->json, key, value);
    } else {
        add_fact(list, key, format_text("%s", value ? yes : no));
    }
}

void fact_say(fact_list *list, const char *key, const char *format, ...) {
    if (!list->is_json) {
        va_list args;
        va_start(args, format);
        add_fact(list, key, format_text_of(format, args));
        va_end(args);
    }
}

void facts_open(fact_list *list, const char *key, char bracket) {
    if (list->is_json) {
        put_open(&list->json, key, bracket);
    }
}

void facts_close(fact_list *list, char bracket) {
    if (list->is_json) {
        put_close(&list->json, bracket);
    }
}

// ---- for people ----

// The text of the fact whose key is the first length characters of key; "": it was not put.
static const char *fact_named(const fact_list *list, const char *key, size_t length) {
    for (int32_t i = 0; i < list->count; i++) {
        const fact *known = &list->facts[i];
        if (strlen(known->key) == length && strncmp(known->key, key, length) == 0) {
            return known->text;
        }
    }
    return "";
}

// The text of a line with its facts in place, to be freed; NULL: one of them is missing.
static char *line_filled(const fact_list *list, const char *text) {
    char *filled = format_text("%s", "");
    while (*text) {
        size_t plain = strcspn(text, "{"), length = 0;
        const char *value = "";
        if (text[plain]) {
            length = strcspn(text + plain, "}") + 1;
            value = fact_named(list, text + plain + 1, length - 2);
        }
        char *longer = format_text("%s%.*s%s", filled, (int)plain, text, value);
        free(filled);
        filled = longer;
        if (length > 0 && !value[0]) {
            free(filled);
            return NULL;
        }
        text += plain + length;
    }
    return filled;
}

void facts_title(const fact_list *list, const char *title) {
    if (!list->is_json) {
        print_safe(list->out, title);
        fputc('\n', list->out);
    }
}

void facts_print(const fact_list *list, int32_t column, const fact_line *lines) {
    for (; !list->is_json && lines->text; lines++) {
        char *text = line_filled(list, lines->text);
        if (text && lines->wraps) {
            char *label = format_text("  %s", lines->label);
            print_wrapped(list->out, label, column, text);
            free(label);
        } else if (text) {
            fprintf(list->out, "  %-*s", (int)column - 2, lines->label);
            print_safe(list->out, text);
            fputc('\n', list->out);
        }
        free(text);
    }
}
