// io/yaml/yaml_syntax.h
// What is wrong with a text that is not YAML, in words for the one who wrote it.
#ifndef CAIRN_IO_YAML_SYNTAX_H
#define CAIRN_IO_YAML_SYNTAX_H

#include "base/memory.h"

// What a parser found: places count from 0, lines in lines and columns in characters.
typedef struct io_yaml_problem {
    const char *what, *context; // libyaml's words; may be NULL
    size_t line, column;
    size_t context_line, context_column;
} io_yaml_problem;

// Whether the bytes are UTF-8 text; else an error with the place and how to save the file. *skip:
// bytes of a byte order mark at the start.
cn_status io_yaml_check_encoding(const char *file, const char *text, size_t size, size_t *skip,
                                 cn_error *error);

// The error for what the parser found in the text.
cn_status io_yaml_explain(const char *file, const char *text, size_t size,
                          const io_yaml_problem *problem, cn_error *error);

#endif
