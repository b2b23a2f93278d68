/* What tests for messages (tests.c) and blocks (libpredict-idle.c) tell each other, for one thread. */
#ifndef PREDICT_IDLE_H
#define PREDICT_IDLE_H
#include <stdint.h>

/* Around a test; `works`: the program has other work to do, which a long block would put off. At its end, whether it
   blocked. */
void idle_test_begins(int works);
int idle_test_ends(void);
/* Whether the library looked for messages outside of tests since the last one. */
int idle_waited(void);
/* CLOCK_MONOTONIC, ns. */
uint64_t idle_now(void);

#endif
