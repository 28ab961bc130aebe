// app/support/gallery.h
// The gallery: scene files that come with the command. Each opens with a comment: "# NAME: one
// line", then what the source of the experiment says and what must be seen.
#ifndef CAIRN_APP_SUPPORT_GALLERY_H
#define CAIRN_APP_SUPPORT_GALLERY_H

#include <stdbool.h>
#include <stdint.h>

// The folder: $CAIRN_SCENES; else beside the installed command, or where it was to be installed,
// or in the source tree that it was built from. NULL: none of them is there. To be freed.
char *cn_gallery_folder(void);

typedef struct cn_gallery {
    char *folder;
    char **names; // without ending, sorted
    int32_t count;
} cn_gallery;

// Ends the program with a message when there is no gallery.
cn_gallery cn_gallery_open(void);
void cn_gallery_close(cn_gallery *gallery);
// The path of a scene; NULL: there is none of that name. To be freed.
char *cn_gallery_path(const char *name);
// The comment that a scene opens with, without the "# "; "" when there is none. To be freed.
char *cn_gallery_comment(const cn_gallery *gallery, const char *name);
// The nearest name, for "did you mean"; NULL: none is near.
const char *cn_gallery_nearest(const cn_gallery *gallery, const char *name);

#endif
