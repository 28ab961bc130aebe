#include <cairn/base.h>
