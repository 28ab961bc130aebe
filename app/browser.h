// app/browser.h
// Pictures of pages by Debian's chromium, without a display.
#ifndef CAIRN_APP_BROWSER_H
#define CAIRN_APP_BROWSER_H

#include <stdbool.h>
#include <stdint.h>

// Runs a program with its output thrown away, for at most some seconds; true when it was there and
// did its work.
bool cn_program_run(char *const argv[], double seconds);
// Whether there is a program of that name on the path.
bool cn_program_exists(const char *name);

// The chromium to be used; NULL: none is installed.
const char *cn_browser_name(void);
// A picture (PNG) of what an address shows once its scripts have come to rest. true: it is there.
bool cn_browser_shoot(const char *address, const char *path, int32_t width, int32_t height);

#endif
