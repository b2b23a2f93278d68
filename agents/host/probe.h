/* One end of a bandwidth probe over TCP. Every wait is bounded by a time on CLOCK_MONOTONIC. */
#ifndef PROBE_H
#define PROBE_H

#include "address.h"

struct probe_plan {
    double seconds, warm_seconds, accept_seconds, connect_seconds;
    uint64_t warm_bytes;
    bool listens, connects, binds;
    /* Round trips of small messages are measured beside the flow from so many seconds on; negative: none are. Both ends
       must know. */
    bool far; /* the sender's buffer is left to the kernel */
    double ping_after_seconds;
    struct address listen, connect, bind;
};

struct flow {
    uint64_t bytes, total_bytes; /* measured; all, with those of the warm-up */
    double seconds, total_seconds;
    double round_trip_ms; /* that nine of ten small messages did not exceed; negative when none was sent */
    bool complete;        /* ended by the sender's end, not by the hard stop */
    char peer[ENDPOINT_TEXT];
    char problem[200]; /* a sentence's part, when the flow could not be measured */
};

/* A listening socket, or -1 with errno; tells its port on stderr. */
int probe_listen(const struct probe_plan *plan);
void probe_receive(const struct probe_plan *plan, int listener, struct flow *flow);
void probe_send(const struct probe_plan *plan, struct flow *flow);

/* ---- Small messages beside it (probe-ping.c) ---- */

enum { MOST_PINGS = 10000 };
struct pings {
    int fd;
    uint64_t from_ns, end_ns; /* those of before are not kept; none is sent later */
    double ms[MOST_PINGS];
    int count;
};
/* Bodies of threads: sends a byte and waits for it, again and again; and returns each byte to its sender (of the
   descriptor that `context` points to, until it is shut down). */
void *probe_ping(void *pings);
void *probe_echo(void *context);
/* Negative when there was none. */
double ping_quantile(struct pings *pings, double share);

#endif
