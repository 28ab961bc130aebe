// app/support/facts.h
// Facts about one thing: for programs one JSON object, in the order they are put; for people lines
// that name the facts they show, so that both come from one list.
#ifndef CAIRN_APP_SUPPORT_FACTS_H
#define CAIRN_APP_SUPPORT_FACTS_H

#include "support/json.h"

typedef struct fact {
    const char *key; // outlives the list
    char *text;      // for people
} fact;

typedef struct fact_list {
    FILE *out;
    bool is_json;
    json_writer json; // open from start to end where the facts are for programs
    fact *facts;      // only for people
    int32_t count;
} fact_list;

// A line for people: "  label   text", where {key} in the text stands for a fact. A line that names
// a fact which was not put, or is empty, is left out.
typedef struct fact_line {
    const char *label, *text; // both NULL: the end
    bool wraps;               // to the width of the terminal
} fact_line;

fact_list facts_start(FILE *out, bool json);
void facts_end(fact_list *list);

void fact_text(fact_list *list, const char *key, const char *value); // NULL: null, empty
void fact_int(fact_list *list, const char *key, int64_t value);
void fact_real(fact_list *list, const char *key, int32_t digits, double value);
void fact_bool(fact_list *list, const char *key, bool value, const char *yes, const char *no);
// Only for people: what follows from other facts, or says one of them in words.
void fact_say(fact_list *list, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Facts inside an object or array of the JSON, which people see in no line: put between the two
// into list->json, or with the functions above.
void facts_open(fact_list *list, const char *key, char bracket);
void facts_close(fact_list *list, char bracket);

// Where the facts are for people: a title alone in its line, and lines whose texts begin at column.
void facts_title(const fact_list *list, const char *title);
void facts_print(const fact_list *list, int32_t column, const fact_line *lines);

#endif
