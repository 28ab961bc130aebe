// problem/files/lcp_text.c
// LCP text files: n, the matrix M, q; all that follows is comment.
//
// We keep the comment as the problem's description, and put a solution in front of it: other
// readers do not look there. The comment has no end and no form, so a description is trimmed.
#include "base/arena.h"
#include "problem/files/dat.h"
#include "problem/files/text_parts.h"

#include <string.h>

#define CN_SPACE " \t\n\v\f\r"
#define CN_OUR_WORDS "cairn:"     // a description that starts with one of them ...
#define CN_TEXT_WORD "cairn:text" // ... stands behind this one

// What is left of the text, up to a zero byte, without white space around it.
static cn_status cn_comment_read(cn_text_reader *reader, cn_problem *problem) {
    const char *text;
    size_t length;
    if (cn_text_next_is(reader, CN_TEXT_WORD)) {
        cn_status status = cn_text_expect(reader, CN_TEXT_WORD);
        if (status != CN_OK) {
            return status;
        }
    }
    if (!cn_text_peek(reader, &text, &length)) {
        return CN_OK;
    }
    length = strnlen(text, reader->size - reader->at);
    while (length > 0 && strchr(CN_SPACE, text[length - 1])) {
        length--;
    }
    if (length > 0) {
        problem->description = cn_arena_text(problem->memory, text, length);
    }
    return length == 0 || problem->description
               ? CN_OK
               : cn_text_fail(reader, CN_ERR_MEMORY, "out of memory");
}

cn_status cn_lcp_text_read(cn_text_reader *reader, cn_problem *problem, cn_arena *scratch) {
    cn_lcp *p = &problem->lcp;
    int64_t n = 0;
    cn_status status = cn_text_int(reader, "the size of the LCP", 0, INT32_MAX, &n);
    if (status != CN_OK) {
        return status;
    }
    p->n = (int32_t)n;
    problem->format = "lcp-text";
    status = cn_matrix_read(reader, "M", p->n, p->n, problem->memory, scratch, &p->M);
    if (status == CN_OK) {
        status = cn_vector_read(reader, "an entry of q", p->n, problem->memory, &p->q);
    }
    if (status == CN_OK) {
        status = cn_answers_read(reader, problem, p->n, 0);
    }
    return status == CN_OK ? cn_comment_read(reader, problem) : status;
}

void cn_lcp_text_write(cn_text_writer *writer, const cn_problem *problem) {
    const cn_lcp *p = &problem->lcp;
    cn_text_print(writer, "%d\n", p->n);
    cn_matrix_write(writer, &p->M);
    cn_vector_write(writer, p->n, p->q);
    cn_answers_write(writer, problem, p->n, 0);
    if (problem->description) {
        const char *text = problem->description + strspn(problem->description, CN_SPACE);
        bool ours = strncmp(text, CN_OUR_WORDS, strlen(CN_OUR_WORDS)) == 0;
        cn_text_print(writer, "%s\n", ours ? CN_TEXT_WORD : "");
        cn_text_put(writer, text);
        cn_text_print(writer, "\n");
    }
}
