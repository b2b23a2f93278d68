/* Every thread that the program or a library of it makes (OpenMP, POSIX threads) keeps to the rank's share. */
#include "govern.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct beginning {
    void *(*run)(void *);
    void *argument;
};

static void end(void *nothing)
{
    (void)nothing;
    govern_thread_ends();
}

static void *begin(void *given)
{
    struct beginning own = *(struct beginning *)given;
    void *result;
    free(given);
    govern_thread_begins();
    /* However it ends, by pthread_exit() and cancellation too. */
    pthread_cleanup_push(end, NULL);
    result = own.run(own.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    struct beginning *given = govern_start() ? malloc(sizeof *given) : NULL;
    if (!given) return next(thread, attributes, run, argument);
    *given = (struct beginning){run, argument};
    int error = next(thread, attributes, begin, given);
    if (error != 0) free(given);
    return error;
}
