// Runs a fuzz target once on every file named on the command line: the saved corpus as a plain
// test, without libFuzzer.
#include "fuzz_problem.h"

#include "io/file.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        base_buffer bytes;
        cn_error error;
        char text[1024];
        base_buffer_init(&bytes, NULL);
        if (io_file_read(argv[i], &bytes, &error) != CN_OK) {
            fprintf(stderr, "%s\n", cn_error_format(&error, text, sizeof text));
            return 1;
        }
        printf("%s: %zu bytes\n", argv[i], bytes.size);
        LLVMFuzzerTestOneInput(bytes.data, bytes.size);
        base_buffer_free(&bytes);
    }
    return argc > 1 ? 0 : 1;
}
