// base/version.c
#include <cairn/base.h>

const char *cn_version(void) {
    return VERSION_TEXT;
}
