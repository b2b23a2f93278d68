/* What a rank sends, known before any run: the program's law for models of how it scales. */
#ifndef GA_SENT_VALUES_H
#define GA_SENT_VALUES_H
#include <stdio.h>

#include "halo.h"

enum { SENT_COUNTS = 23 }; /* 2, 3, 4, 6, 8, 12, ... 4096 ranks */

struct sent_values {
    double at[SENT_COUNTS]; /* values that a rank sends where it sends all, the mean over ranks */
};

/* Call on all ranks. */
void sent_values_of(struct halo *h, struct sent_values *s);

/* `2:20208.3 3:24011.9 ...` */
void sent_values_print(const struct sent_values *s, FILE *file);

#endif
