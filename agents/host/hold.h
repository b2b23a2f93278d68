/* What the holder of a host's lock does meanwhile (hold-orders.c). */
#ifndef HOLD_H
#define HOLD_H

#include <stdbool.h>

/* Reads from the input and does what each whole line asks for. Prints what that printed, each line behind a `|`
   (stdout) or a `!` (stderr), then `done CODE`, or `late` where it was ended because it took too long. False at the end
   of the input, or where nobody reads the answers. */
bool follow_orders(void);

#endif
