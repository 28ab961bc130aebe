// io/number.h
// Numbers as text, the same whatever locale the program has set.
#ifndef CAIRN_IO_NUMBER_H
#define CAIRN_IO_NUMBER_H

#include <cairn/base.h>

// A plain decimal number: [+-] digits [. digits] [e [+-] digits], with a digit before or after the
// point; the whole of text.
bool io_number_is_decimal(const char *text, size_t length);
// Its nearest double, infinite when it is too large. false: it is none.
bool io_number_parse(const char *text, double *value);

// A finite number in as few digits as read back bitwise identical, at most 17.
#define IO_NUMBER_TEXT_MAX 32
const char *io_number_text(double value, char text[IO_NUMBER_TEXT_MAX]); // returns text

#endif
