/* Text of others that may reach a terminal. */
#ifndef PRINTABLE_H
#define PRINTABLE_H

/* Replaces in place what is no UTF-8 by `?` and control characters (C0, DEL, C1) by a blank. */
void make_printable(char *text);

#endif
