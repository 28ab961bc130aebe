// Tables over time from files, as columns and as PEER records: any bytes give finite numbers at
// ascending times, or an error with text and place.
#include "fuzz_problem.h"

#include "base/arena.h"
#include "io/series.h"

#include <math.h>

static void cn_fuzz_look(cn_status status, const io_series *series, const cn_error *error) {
    if (status != CN_OK) {
        CN_FUZZ_REQUIRE(error->message[0] && !strchr(error->message, '\n'));
        CN_FUZZ_REQUIRE(strcmp(error->file, "input") == 0 && error->line > 0 && error->column > 0);
        return;
    }
    CN_FUZZ_REQUIRE(series->count > 0 && (series->time || series->interval > 0.0));
    for (int32_t i = 0; i < series->count; i++) {
        CN_FUZZ_REQUIRE(isfinite(series->value[i]));
        CN_FUZZ_REQUIRE(i == 0 || !series->time || series->time[i] > series->time[i - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int32_t columns[][2] = {{1, 2}, {3, 1}};
    cn_arena *memory = cn_arena_create(NULL);
    char *text = malloc(size + 1);
    CN_FUZZ_REQUIRE(memory && text);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    for (int i = 0; i < 2; i++) {
        io_series series;
        cn_error error = {0};
        cn_status status =
            io_series_read_columns(memory, "input", text, columns[i], &series, &error);
        cn_fuzz_look(status, &series, &error);
        status = io_series_read_peer(memory, "input", text, i ? "g" : NULL, &series, &error);
        cn_fuzz_look(status, &series, &error);
    }
    free(text);
    cn_arena_destroy(memory);
    return 0;
}
