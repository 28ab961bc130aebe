#include <cairn/source.h>
