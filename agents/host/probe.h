/* One end of a bandwidth probe over TCP. Every wait is bounded by a time on CLOCK_MONOTONIC. */
#ifndef PROBE_H
#define PROBE_H

#include "address.h"

struct probe_plan {
    double seconds, warm_seconds, accept_seconds, connect_seconds;
    uint64_t warm_bytes;
    bool listens, connects, binds;
    struct address listen, connect, bind;
};

struct flow {
    uint64_t bytes, total_bytes; /* measured; all, with those of the warm-up */
    double seconds, total_seconds;
    bool complete; /* ended by the sender's end, not by the hard stop */
    char peer[ENDPOINT_TEXT];
    char problem[200]; /* a sentence's part, when the flow could not be measured */
};

/* A listening socket, or -1 with errno; tells its port on stderr. */
int probe_listen(const struct probe_plan *plan);
void probe_receive(const struct probe_plan *plan, int listener, struct flow *flow);
void probe_send(const struct probe_plan *plan, struct flow *flow);

#endif
