/* Preloaded into ranks of MPICH before 4.2 over UCX. In MPI_Finalize each rank closes its endpoints and then waits in
   PMI's barrier without looking at UCX; a rank whose last message a waiting one should answer never comes to that
   barrier (pmodels/mpich pull request 6596). Here a rank that has begun to close endpoints keeps UCX going while it
   waits for input. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

enum { MOST_WORKERS = 64, LOOK_MS = 1 };

static void *workers[MOST_WORKERS];
static int count;
static __thread int is_closing;

#define REAL(name, ...) ((__VA_ARGS__)dlsym(RTLD_NEXT, name))

/* ucs_status_t is a packed enumeration; 0 is UCS_OK. */
signed char ucp_worker_create(void *context, const void *params, void **worker)
{
    signed char status =
        REAL("ucp_worker_create", signed char (*)(void *, const void *, void **))(context, params, worker);
    if (status == 0 && count < MOST_WORKERS) workers[count++] = *worker;
    return status;
}

void ucp_worker_destroy(void *worker)
{
    for (int i = 0; i < count; i++)
        if (workers[i] == worker) workers[i--] = workers[--count];
    REAL("ucp_worker_destroy", void (*)(void *))(worker);
}

void *ucp_disconnect_nb(void *endpoint)
{
    is_closing = 1;
    return REAL("ucp_disconnect_nb", void *(*)(void *))(endpoint);
}

void *ucp_ep_close_nb(void *endpoint, unsigned mode)
{
    is_closing = 1;
    return REAL("ucp_ep_close_nb", void *(*)(void *, unsigned))(endpoint, mode);
}

void *ucp_ep_close_nbx(void *endpoint, const void *parameters)
{
    is_closing = 1;
    return REAL("ucp_ep_close_nbx", void *(*)(void *, const void *))(endpoint, parameters);
}

/* PMI's answers come through read(2). */
ssize_t read(int file, void *bytes, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    static unsigned (*progress)(void *);
    if (!real) real = REAL("read", ssize_t(*)(int, void *, size_t));
    if (is_closing && !progress) progress = REAL("ucp_worker_progress", unsigned (*)(void *));
    struct pollfd watched = {.fd = file, .events = POLLIN};
    while (is_closing && progress && count > 0 && poll(&watched, 1, LOOK_MS) == 0)
        for (int i = 0; i < count; i++) progress(workers[i]);
    return real(file, bytes, size);
}
