// FCLIB files. Other bytes are left to the text target.
#include "fuzz_problem.h"

#include "io/hdf5/hdf5.h"
#include "problem/files/fclib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (io_hdf5_is_image(data, size)) {
        cn_fuzz_problem(data, size, prob_fclib_write);
    }
    return 0;
}
