/* Gives the thread that calls govern_start() a share of a core in small pieces. */
#ifndef PREDICT_GOVERN_H
#define PREDICT_GOVERN_H
#include <stdint.h>

/* Begins, where PREDICT_CPU_PERCENT is set and this process is an MPI rank. */
void govern_start(void);
/* Whether the thread keeps to its share; it does from the start on. Nothing is saved up or owed for the time between.
 */
void govern_keep(int keeps);
/* Around every wait of the thread: waiting costs nothing, and no signal disturbs it. */
void govern_wait_begins(void);
void govern_wait_ends(void);
/* How long the thread has slept to keep to its share, in ns so far: a rank's trace asks. */
int64_t predict_idle_held_ns(void);

#endif
