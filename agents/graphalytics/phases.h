/* What the trace of this program tells: its phases, and the keys by which one time of a phase differs from another, as
   the platform model of this name (analysis/platform) has them. `process` is one run of the algorithm, from barrier to
   barrier; its supersteps (key `level`) are compute, exchange and synchronise, in this order, each where there is such
   a step. `root` counts the runs from 0. */
#ifndef GA_PHASES_H
#define GA_PHASES_H

#include "trace.h"

enum phase { COMPUTE, EXCHANGE, SYNCHRONISE, LOAD, CONSTRUCT, COVER, PROCESS };

static const char *const phase_names[] = {
    [COMPUTE] = "compute",     [EXCHANGE] = "exchange", [SYNCHRONISE] = "synchronise", [LOAD] = "load",
    [CONSTRUCT] = "construct", [COVER] = "cover",       [PROCESS] = "process",
};

enum key { RUN, SUPERSTEP, KEYS };

static const char *const key_names[KEYS] = {[RUN] = "root", [SUPERSTEP] = "level"};

_Static_assert((int)KEYS <= TRACE_KEYS, "a record has room for fewer keys");

static const struct trace_words run_words = {phase_names, key_names, KEYS};

/* Of one run of usual length: three phases, 64 supersteps. */
enum { USUAL_SUPERSTEPS = 64, USUAL_RECORDS = 3 * USUAL_SUPERSTEPS };

/* Both ends of an exchange of all with all. */
static inline uint64_t usual_messages(int ranks) { return (uint64_t)(ranks - 1) * 2 * USUAL_SUPERSTEPS; }

#endif
