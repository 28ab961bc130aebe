// Messages of the page to its server: any bytes give a request whose fields are within their
// ranges, or a reason. Nothing else of the server looks at the text.
#include "fuzz_problem.h"

#include "web/request.h"

#include <math.h>

#define CN_FUZZ_BODIES 17

static void cn_fuzz_vector(const double x[3]) {
    for (int i = 0; i < 3; i++) {
        CN_FUZZ_REQUIRE(isfinite(x[i]) && fabs(x[i]) <= 1e9);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        page_request request;
        const char *why = NULL;
        const char *text = data ? (const char *)data : "";
        if (!request_read(text, size, dim, CN_FUZZ_BODIES, &request, &why)) {
            CN_FUZZ_REQUIRE(why && why[0] && !strchr(why, '\n'));
            continue;
        }
        CN_FUZZ_REQUIRE(size <= REQUEST_SIZE);
        CN_FUZZ_REQUIRE((int)request.op >= 0 && request.op < REQUEST_OPS);
        CN_FUZZ_REQUIRE(request.step >= 0 && request.from >= 0 && request.to >= 0);
        CN_FUZZ_REQUIRE(request.body >= 0 && request.body < CN_FUZZ_BODIES);
        CN_FUZZ_REQUIRE(request.bins <= 65536 && request.points <= 65536 && request.count <= 1000);
        CN_FUZZ_REQUIRE(request.op != ASK_LEDGER || request.bins >= 1);
        CN_FUZZ_REQUIRE(request.op != ASK_SERIES || request.points >= 2);
        CN_FUZZ_REQUIRE(request.value >= 0.0 && request.value <= 1000.0);
        CN_FUZZ_REQUIRE(request.k >= 0.0 && request.k <= 1e9);
        cn_fuzz_vector(request.vector);
        cn_fuzz_vector(request.point);
        cn_fuzz_vector(request.target);
    }
    return 0;
}
