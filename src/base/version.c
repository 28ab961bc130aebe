// base/version.c
#include <cairn/base.h>

const char *cn_version(void) {
    return CN_VERSION_TEXT;
}
