/* An alarm: what its handler does is allowed in one (signal-safety(7)). */
#define _GNU_SOURCE
#include "time-limit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char sentence[128];

static void end(int signal)
{
    (void)signal;
    ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    _exit(written < 0 ? EXIT_TIME : EXIT_TIME);
}

void time_limit_start(int seconds)
{
    snprintf(sentence, sizeof sentence, "predict-graphalytics: the time limit of %d s is over; nothing is written.\n",
             seconds);
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned)seconds);
}
