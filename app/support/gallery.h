// app/support/gallery.h
// The gallery: scene files that come with the command. Each opens with a comment: "# NAME: one
// line", then what the source of the experiment says and what must be seen.
#ifndef CAIRN_APP_SUPPORT_GALLERY_H
#define CAIRN_APP_SUPPORT_GALLERY_H

#include <stdbool.h>
#include <stdint.h>

// The folder: $CAIRN_SCENES; else beside the installed command, or where it was to be installed,
// or in the source tree that it was built from. NULL: none of them is there. To be freed.
char *gallery_folder_path(void);

typedef struct gallery_folder {
    char *folder;
    char **names; // without ending, sorted
    int32_t count;
} gallery_folder;

// Ends the program with a message when there is no gallery.
gallery_folder gallery_open(void);
void gallery_close(gallery_folder *gallery);
// The path of a scene; NULL: there is none of that name. To be freed.
char *gallery_path(const char *name);
// The comment that a scene opens with, without the "# "; "" when there is none. To be freed.
char *gallery_comment(const gallery_folder *gallery, const char *name);
// The nearest name, for "did you mean"; NULL: none is near.
const char *gallery_nearest(const gallery_folder *gallery, const char *name);

// A line of gallery.csv beside the scenes: the topic, and what one run took when it was measured.
typedef struct gallery_row {
    char name[64], topic[32];
    int32_t bodies; // 0: not measured
    double cpu;     // [s] of the whole scene on one core
} gallery_row;

typedef struct gallery_topic {
    char name[32], title[64];
} gallery_topic;

// Both tables in the order of the file; none where there is no such file.
typedef struct gallery_table {
    gallery_topic *topics;
    gallery_row *rows;
    int32_t topic_count, row_count;
} gallery_table;

gallery_table gallery_table_read(const gallery_folder *gallery);
void gallery_table_free(gallery_table *table);

#endif
