/* What the trace of this program tells: its phases, and the keys by which one time of a phase differs from another.
   The four of a level come once per level (synchronise: only before the first bottom-up one) within a root's bfs or
   sssp; the last fold brings parents home. `root` counts the searches of a run from 0, `level` the levels of one. */
#ifndef G500_PHASES_H
#define G500_PHASES_H

#include "trace.h"

enum phase { EXPAND, COMPUTE, FOLD, SYNCHRONISE, GENERATE, CONSTRUCT, BFS, SSSP, VALIDATE };

static const char *const phase_names[] = {
    [EXPAND] = "expand",     [COMPUTE] = "compute",     [FOLD] = "fold", [SYNCHRONISE] = "synchronise",
    [GENERATE] = "generate", [CONSTRUCT] = "construct", [BFS] = "bfs",   [SSSP] = "sssp",
    [VALIDATE] = "validate",
};

enum key { ROOT, LEVEL, KEYS };

static const char *const key_names[KEYS] = {[ROOT] = "root", [LEVEL] = "level"};

_Static_assert((int)KEYS <= TRACE_KEYS, "a record has room for fewer keys");

static const struct trace_words search_words = {phase_names, key_names, KEYS};

/* Of one search of usual depth: four phases, 32 levels. */
enum { USUAL_LEVELS = 32, USUAL_RECORDS = 4 * USUAL_LEVELS };

/* Both ends of expand (row and column) and fold, and of the parents' way home, on a grid of side q. */
static inline uint64_t usual_messages(int q) { return (uint64_t)(q - 1) * (6 * USUAL_LEVELS + 4); }

#endif
