// Siconos .dat and LCP text.
#include "fuzz_problem.h"

#include "io/hdf5/hdf5.h"
#include "problem/files/dat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!io_hdf5_is_image(data, size)) {
        cn_fuzz_problem(data, size, prob_text_problem_write);
    }
    return 0;
}
