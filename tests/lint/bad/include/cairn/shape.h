// The face of geom, which stands below model.
#include <cairn/source.h>
#include <cairn/settings.h> // refuse: rooms
