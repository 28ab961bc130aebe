// problem/files/lcp_text.c
// LCP text files: n, the matrix M, q; all that follows is comment. M stands in one of Siconos's
// storages, each with its number and sizes, or plainly row by row.
//
// We keep the comment as the problem's description, and put a solution in front of it: other
// readers do not look there. The comment has no end and no form, so a description is trimmed.
#include "base/arena.h"
#include "problem/files/dat.h"
#include "problem/files/text_parts.h"
#include "sparse/csr.h"

#include <string.h>

#define SPACE " \t\n\v\f\r"
#define OUR_WORDS "cairn:"     // a description that starts with one of them ...
#define TEXT_WORD "cairn:text" // ... stands behind this one

// What is left of the text, up to a zero byte, without white space around it.
static cn_status comment_read(io_text_reader *reader, cn_problem *problem) {
    const char *text;
    size_t length;
    if (io_text_next_is(reader, TEXT_WORD)) {
        CN_TRY(io_text_expect(reader, TEXT_WORD));
    }
    if (!io_text_peek(reader, &text, &length)) {
        return CN_OK;
    }
    length = strnlen(text, reader->size - reader->at);
    while (length > 0 && strchr(SPACE, text[length - 1])) {
        length--;
    }
    if (length > 0) {
        problem->description = base_arena_text(problem->memory, text, length);
    }
    return length == 0 || problem->description
               ? CN_OK
               : io_text_fail(reader, CN_ERR_MEMORY, "out of memory");
}

cn_status prob_lcp_text_read(io_text_reader *reader, cn_problem *problem, cn_arena *scratch) {
    cn_lcp *p = &problem->lcp;
    int64_t n = 0;
    CN_TRY(io_text_int(reader, "the size of the LCP", 0, INT32_MAX, &n));
    p->n = (int32_t)n;
    problem->format = "lcp-text";
    CN_TRY(prob_matrix_read(reader, "M", p->n, p->n, problem->memory, scratch, &p->M));
    CN_TRY(prob_vector_read(reader, "an entry of q", p->n, problem->memory, &p->q));

    CN_TRY(prob_answers_read(reader, problem, p->n, 0));
    return comment_read(reader, problem);
}

// The end of the text, or of what is not comment.
static bool text_ends(io_text_reader *reader) {
    const char *word;
    size_t length;
    return !io_text_peek(reader, &word, &length) || word[0] == '#';
}

cn_status prob_lcp_plain_read(io_text_reader *reader, cn_problem *problem, cn_arena *scratch) {
    cn_lcp *p = &problem->lcp;
    int64_t n = 0, count = 0;
    CN_TRY(io_text_int(reader, "the size of the LCP", 1, INT32_MAX, &n));
    CN_TRY(io_text_room(reader, "an entry of M", n * n + n));
    int32_t *row = BASE_TAKE(scratch, int32_t, n * n), *column = BASE_TAKE(scratch, int32_t, n * n);
    double *value = BASE_TAKE(scratch, double, n *n);
    if (!row || !column || !value) {
        return io_text_fail(reader, CN_ERR_MEMORY, "out of memory");
    }
    for (int64_t k = 0; k < n * n; k++) {
        CN_TRY(io_text_real(reader, "an entry of M", &value[count]));
        row[count] = (int32_t)(k / n);
        column[count] = (int32_t)(k % n);
        count += value[count] != 0.0;
    }
    p->n = (int32_t)n;
    problem->format = "lcp-text";
    CN_TRY(prob_vector_read(reader, "an entry of q", p->n, problem->memory, &p->q));
    if (!text_ends(reader)) {
        return io_text_fail(reader, CN_ERR_INPUT, "the file goes on where the problem ends");
    }
    if (sparse_csr_from_triplets(problem->memory, p->n, p->n, count, row, column, value, &p->M) !=
        CN_OK) {
        return io_text_fail(reader, CN_ERR_MEMORY, "out of memory");
    }
    return CN_OK;
}

void prob_lcp_text_write(io_text_writer *writer, const cn_problem *problem) {
    const cn_lcp *p = &problem->lcp;
    io_text_print(writer, "%d\n", p->n);
    prob_matrix_write(writer, &p->M);
    prob_vector_write(writer, p->n, p->q);
    prob_answers_write(writer, problem, p->n, 0);
    if (problem->description) {
        const char *text = problem->description + strspn(problem->description, SPACE);
        bool ours = strncmp(text, OUR_WORDS, strlen(OUR_WORDS)) == 0;
        io_text_print(writer, "%s\n", ours ? TEXT_WORD : "");
        io_text_put(writer, text);
        io_text_print(writer, "\n");
    }
}
