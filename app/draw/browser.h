// app/draw/browser.h
// Pictures of pages by Debian's chromium, without a display.
#ifndef CAIRN_APP_DRAW_BROWSER_H
#define CAIRN_APP_DRAW_BROWSER_H

#include <stdbool.h>
#include <stdint.h>

// Runs a program with its output thrown away, for at most some seconds; true when it was there and
// did its work.
bool program_run(char *const argv[], double seconds);
// Whether there is a program of that name on the path.
bool program_exists(const char *name);

// The chromium to be used; NULL: none is installed.
const char *browser_name(void);

#define NOT_DRAWN (-1)
// A picture (PNG) of what an address shows once its scripts have come to rest. NOT_DRAWN, or the
// exit code of writing it to path.
int browser_shoot(const char *address, const char *path, int32_t width, int32_t height);
// A PNG file that a program drew, to its place; NOT_DRAWN: it is missing or not complete.
int png_deliver(const char *drawn, const char *path);

// A fresh folder for temporary files ($TMPDIR or /tmp), to be removed and freed; NULL after saying
// why not.
char *temporary_folder(void);

#endif
