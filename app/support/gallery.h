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

#endif
