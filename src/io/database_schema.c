// io/database_schema.c
// What a file that may come from anywhere is allowed to hold: plain tables. A table's definition is
// read word by word, and anything but columns with a plain type is refused: views, triggers,
// virtual tables, indices with expressions, generated columns, defaults and constraints are code
// that would run when the file is read or written.
#include "io/database.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

#define CN_SCHEMA_ENTRIES 64 // tables and indices of a file; ours have some ten

typedef struct cn_words {
    const char *at;
    const char *word;
    size_t length;
} cn_words;

static bool cn_is_name_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// The next word: a name, with or without quotes, or one sign. false: the end.
static bool cn_next_word(cn_words *words) {
    while (isspace((unsigned char)*words->at)) {
        words->at++;
    }
    words->word = words->at;
    if (*words->at == '"') {
        const char *end = strchr(words->at + 1, '"');
        words->at = end ? end + 1 : words->at + 1;
    } else if (cn_is_name_letter(*words->at)) {
        while (cn_is_name_letter(*words->at)) {
            words->at++;
        }
    } else if (*words->at) {
        words->at++;
    }
    words->length = (size_t)(words->at - words->word);
    return words->length > 0;
}

static bool cn_word_is(const cn_words *words, const char *text) {
    bool same = strlen(text) == words->length;
    for (size_t i = 0; same && i < words->length; i++) {
        same = tolower((unsigned char)words->word[i]) == tolower((unsigned char)text[i]);
    }
    return same;
}

static bool cn_word_is_name(const cn_words *words) {
    bool quoted = words->word[0] == '"' && words->length > 2;
    return quoted || cn_is_name_letter(words->word[0]);
}

static bool cn_word_is_type(const cn_words *words) {
    return cn_word_is(words, "INTEGER") || cn_word_is(words, "REAL") || cn_word_is(words, "TEXT") ||
           cn_word_is(words, "BLOB");
}

// name [type] [PRIMARY KEY], up to the comma or bracket behind it, which is left in words.
static bool cn_is_plain_column(cn_words *words) {
    if (!cn_next_word(words) || !cn_word_is_name(words) || !cn_next_word(words)) {
        return false;
    }
    if (cn_word_is_type(words) && !cn_next_word(words)) {
        return false;
    }
    if (cn_word_is(words, "PRIMARY")) {
        return cn_next_word(words) && cn_word_is(words, "KEY") && cn_next_word(words);
    }
    return true;
}

// CREATE TABLE name(column, ...) and nothing else.
static bool cn_is_plain_table(const char *sql) {
    cn_words words = {.at = sql};
    bool plain = cn_next_word(&words) && cn_word_is(&words, "CREATE") && cn_next_word(&words) &&
                 cn_word_is(&words, "TABLE") && cn_next_word(&words) && cn_word_is_name(&words) &&
                 cn_next_word(&words) && cn_word_is(&words, "(");
    while (plain && cn_is_plain_column(&words)) {
        if (cn_word_is(&words, ")")) {
            return !cn_next_word(&words);
        }
        plain = cn_word_is(&words, ",");
    }
    return false;
}

static cn_status cn_schema_refuse(cn_statement *select, const char *path, cn_error *error) {
    cn_fail(error, CN_ERR_INPUT, "the file has a %.20s \"%.60s\" that is not a plain table",
            cn_column_text(select, 0), cn_column_text(select, 1));
    cn_fail_at(error, path, 0, 0);
    cn_fail_hint(error, "run files hold plain tables only, since anything else is code that would "
                        "run when they are read");
    return CN_ERR_INPUT;
}

cn_status cn_database_check_schema(cn_database *database, const char *path, cn_error *error) {
    cn_statement *select;
    cn_status status = cn_database_prepare(
        database, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema", &select, error);
    int32_t entries = 0;
    for (bool row = true; status == CN_OK && row;) {
        status = cn_statement_step(database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        const char *type = cn_column_text(select, 0), *sql = cn_column_text(select, 2);
        bool plain = strcmp(type, "table") == 0 ? cn_is_plain_table(sql)
                                                : strcmp(type, "index") == 0 && sql[0] == '\0';
        if (!plain || ++entries > CN_SCHEMA_ENTRIES) {
            status = cn_schema_refuse(select, path, error);
        }
    }
    cn_statement_end(select);
    return status;
}
