/* Calls of the C library during which no timer may be set: sleeps that a signal would end early, which a program takes
   for a reason, and exec, after which a signal on its way ends the new program. poll() and epoll_wait() are in
   libpredict-idle.c. */
#include "govern.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define UNDISTURBED(type, name, parameters, arguments)        \
    type name parameters                                      \
    {                                                         \
        static type(*next) parameters;                        \
        if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name); \
        int own = govern_wait_begins();                       \
        type result = next arguments;                         \
        int kept_errno = errno;                               \
        if (own) govern_wait_ends();                          \
        errno = kept_errno;                                   \
        return result;                                        \
    }

UNDISTURBED(unsigned int, sleep, (unsigned int seconds), (seconds))
UNDISTURBED(int, usleep, (useconds_t micros), (micros))
UNDISTURBED(int, nanosleep, (const struct timespec *asked, struct timespec *left), (asked, left))
UNDISTURBED(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *asked, struct timespec *left),
            (clock, flags, asked, left))
UNDISTURBED(int, select, (int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *longest),
            (count, in, out, odd, longest))
UNDISTURBED(int, pselect,
            (int count, fd_set *in, fd_set *out, fd_set *odd, const struct timespec *longest, const sigset_t *mask),
            (count, in, out, odd, longest, mask))
UNDISTURBED(int, ppoll, (struct pollfd * all, nfds_t count, const struct timespec *longest, const sigset_t *mask),
            (all, count, longest, mask))
UNDISTURBED(int, execve, (const char *file, char *const *words, char *const *environment), (file, words, environment))
UNDISTURBED(int, execv, (const char *file, char *const *words), (file, words))
UNDISTURBED(int, execvp, (const char *file, char *const *words), (file, words))
