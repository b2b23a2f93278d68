/* The round trip of a small message beside a flow: one byte there and back, over a second connection of its own. */
#include "files.h"
#include "probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PAUSE_MS = 4 };

static int by_length(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

void *probe_ping(void *context)
{
    struct pings *pings = context;
    char byte = 0;
    int on = 1;
    setsockopt(pings->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    while (pings->count < MOST_PINGS) {
        uint64_t start = now_ns(MONOTONIC);
        if (start >= pings->end_ns || send(pings->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1) break;
        /* A byte that is late when the flow ends has waited for so long at least. */
        bool back = wait_before(pings->fd, POLLIN, pings->end_ns);
        if (back && recv(pings->fd, &byte, 1, MSG_DONTWAIT) != 1) break;
        if (start >= pings->from_ns) pings->ms[pings->count++] = (double)(now_ns(MONOTONIC) - start) / 1e6;
        if (back) usleep(PAUSE_MS * 1000);
    }
    shutdown(pings->fd, SHUT_RDWR);
    return NULL;
}

double ping_quantile(struct pings *pings, double share)
{
    qsort(pings->ms, (size_t)pings->count, sizeof *pings->ms, by_length);
    return pings->count == 0 ? -1 : pings->ms[(int)(share * (pings->count - 1) + 0.5)];
}

void *probe_echo(void *context)
{
    int fd = *(const int *)context, on = 1;
    char byte;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    while (recv(fd, &byte, 1, 0) == 1 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1) continue;
    return NULL;
}
