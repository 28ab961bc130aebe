#include <cairn/cairn.h>  // refuse: rooms
#include <cairn/model.h>  // refuse: rooms
#include <cairn/recipe.h> // refuse: rooms
