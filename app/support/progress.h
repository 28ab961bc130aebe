// app/support/progress.h
// The progress line on a terminal, and Ctrl-C.
#ifndef CAIRN_APP_SUPPORT_PROGRESS_H
#define CAIRN_APP_SUPPORT_PROGRESS_H

#include <cairn/base.h>

// From here on the first Ctrl-C (or SIGTERM, or SIGHUP) only sets a flag, which makes
// progress_step and interrupt_poll cancel the work; a second one ends the program at once.
void interrupt_catch(void);
bool interrupted(void);
bool interrupt_poll(void *user); // a cn_cancel_fn

typedef struct progress_line {
    const char *label;
    bool shown;             // stderr is a terminal and the line is wanted
    bool drawn;             // something is on the line
    double start, drawn_at; // [s] wall clock
    int64_t first;          // the count that the work began at
    bool reached;           // the total will be reached; else it is only a limit
} progress_line;

progress_line progress_start(const char *label, bool wanted);
// A cn_progress_fn whose user is a progress_line: draws at most ten times per second, cancels
// after Ctrl-C.
bool progress_step(void *line, const cn_progress *progress);
// The line as it is drawn on so many columns: residual and times are there on any that holds them,
// the label gives way.
void progress_text(const progress_line *line, const cn_progress *progress, double elapsed,
                   int32_t columns, char *text, size_t size);
void progress_finish(progress_line *line); // clears the line

#endif
