// io/database_schema.c
// What a file that may come from anywhere is allowed to hold: plain tables. A table's definition is
// read word by word, and anything but columns with a plain type is refused: views, triggers,
// virtual tables, indices with expressions, generated columns, defaults and constraints are code
// that would run when the file is read or written.
#include "io/database.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

#define SCHEMA_ENTRIES 64 // tables and indices of a file; ours have some ten

typedef struct sql_words {
    const char *at;
    const char *word;
    size_t length;
} sql_words;

static bool is_name_letter(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// The next word: a name, with or without quotes, or one sign. false: the end.
static bool next_word(sql_words *words) {
    while (isspace((unsigned char)*words->at)) {
        words->at++;
    }
    words->word = words->at;
    if (*words->at == '"') {
        const char *end = strchr(words->at + 1, '"');
        words->at = end ? end + 1 : words->at + 1;
    } else if (is_name_letter(*words->at)) {
        while (is_name_letter(*words->at)) {
            words->at++;
        }
    } else if (*words->at) {
        words->at++;
    }
    words->length = (size_t)(words->at - words->word);
    return words->length > 0;
}

static bool word_is(const sql_words *words, const char *text) {
    bool same = strlen(text) == words->length;
    for (size_t i = 0; same && i < words->length; i++) {
        same = tolower((unsigned char)words->word[i]) == tolower((unsigned char)text[i]);
    }
    return same;
}

static bool word_is_name(const sql_words *words) {
    bool quoted = words->word[0] == '"' && words->length > 2;
    return quoted || is_name_letter(words->word[0]);
}

static bool word_is_type(const sql_words *words) {
    return word_is(words, "INTEGER") || word_is(words, "REAL") || word_is(words, "TEXT") ||
           word_is(words, "BLOB");
}

// name [type] [PRIMARY KEY], up to the comma or bracket behind it, which is left in words.
static bool is_plain_column(sql_words *words) {
    if (!next_word(words) || !word_is_name(words) || !next_word(words)) {
        return false;
    }
    if (word_is_type(words) && !next_word(words)) {
        return false;
    }
    if (word_is(words, "PRIMARY")) {
        return next_word(words) && word_is(words, "KEY") && next_word(words);
    }
    return true;
}

// CREATE TABLE name(column, ...) and nothing else.
static bool is_plain_table(const char *sql) {
    sql_words words = {.at = sql};
    bool plain = next_word(&words) && word_is(&words, "CREATE") && next_word(&words) &&
                 word_is(&words, "TABLE") && next_word(&words) && word_is_name(&words) &&
                 next_word(&words) && word_is(&words, "(");
    while (plain && is_plain_column(&words)) {
        if (word_is(&words, ")")) {
            return !next_word(&words);
        }
        plain = word_is(&words, ",");
    }
    return false;
}

static cn_status schema_refuse(io_statement *select, const char *path, cn_error *error) {
    base_fail(error, CN_ERR_INPUT, "the file has a %.20s \"%.60s\" that is not a plain table",
              io_column_text(select, 0), io_column_text(select, 1));
    base_fail_at(error, path, 0, 0);
    base_fail_hint(error,
                   "run files hold plain tables only, since anything else is code that would "
                   "run when they are read");
    return CN_ERR_INPUT;
}

cn_status io_database_check_schema(io_database *database, const char *path, cn_error *error) {
    io_statement *select;
    cn_status status = io_database_prepare(
        database, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema", &select, error);
    int32_t entries = 0;
    for (bool row = true; status == CN_OK && row;) {
        status = io_statement_step(database, select, &row, error);
        if (status != CN_OK || !row) {
            break;
        }
        const char *type = io_column_text(select, 0), *sql = io_column_text(select, 2);
        bool plain = strcmp(type, "table") == 0 ? is_plain_table(sql)
                                                : strcmp(type, "index") == 0 && sql[0] == '\0';
        if (!plain || ++entries > SCHEMA_ENTRIES) {
            status = schema_refuse(select, path, error);
        }
    }
    io_statement_end(select);
    return status;
}
