/* How fast the hosts compute just now: equal work, timed before and after the searches of an order. What differs from
   visit to visit in it differs in the searches too. */
#ifndef G500_REFERENCE_H
#define G500_REFERENCE_H

#include "net.h"

struct reference {
    uint64_t steps; /* of the work; 0 until it is chosen */
    double seconds; /* of all times since the last reset, each the mean of the ranks */
    int times;
};

/* Chooses work that takes about 0.1 s on the average rank. All ranks, like the next. */
void reference_choose(struct reference *reference, struct net *net);
void reference_take(struct reference *reference, struct net *net);

#endif
