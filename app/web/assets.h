// app/web/assets.h
// The files of the web page, embedded when the command was built (view/, cmake/assets.cmake).
#ifndef CAIRN_APP_WEB_ASSETS_H
#define CAIRN_APP_WEB_ASSETS_H

#include <stddef.h>

typedef struct web_asset {
    const char *path;          // as in an address: "/", "/app.js", "/app.css", "/replay.html"
    const char *type;          // its media type, with the character set
    const unsigned char *data; // followed by a zero that size does not count
    size_t size;
} web_asset;

// NULL: there is none of that path; a command built without node has none at all.
const web_asset *asset_find(const char *path);

#endif
