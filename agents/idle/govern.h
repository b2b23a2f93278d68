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
/* For how long the thread still owes rest for what it has computed, in ns: so long it waits for nothing's loss. */
int64_t govern_owes(void);
/* Ends a piece of work and sleeps until the share has caught up: the handler of the timer's signal. */
void predict_idle_hold(int number);
/* How long the thread has slept to keep to its share in all, and when (CLOCK_REALTIME) it woke last, in ns: a rank's
   trace asks. */
void predict_idle_held(int64_t *all_ns, int64_t *until_ns);

#endif
