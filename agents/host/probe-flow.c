/* The two ends of one flow: the sender writes as fast as TCP takes it, the receiver counts and measures what came
   after the warm-ups, in bytes and seconds of CLOCK_MONOTONIC. */
#include "files.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WRITE_BYTES = 64 << 10, DISCARD_BYTES = 1 << 20, GRACE_SECONDS = 5 };

/* What waits to be sent: what is left of it when the time is over has to pass too, which takes long over a slow link,
   whose warm-up is short. */
enum { LEAST_QUEUE_BYTES = 32 << 10, MOST_QUEUE_BYTES = 256 << 10 };

/* A link far slower than meant never passes the bytes of the warm-up: after this share of the time it is measured
 * anyway. */
static const double LATEST_WARM = 0.75;

static uint64_t after(uint64_t start_ns, double seconds) { return start_ns + (uint64_t)(seconds * 1e9); }

static double seconds_between(uint64_t start_ns, uint64_t end_ns) { return (double)(end_ns - start_ns) / 1e9; }

int probe_listen(const struct probe_plan *plan)
{
    int on = 1, reason;
    struct address bound = {.size = sizeof bound.socket};
    int fd = socket(plan->listen.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&plan->listen.socket, plan->listen.size) == 0 && listen(fd, 2) == 0 &&
        getsockname(fd, (struct sockaddr *)&bound.socket, &bound.size) == 0) {
        fprintf(stderr, "listening %u\n", endpoint_port(&bound));
        return fd;
    }
    reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* Counts what comes on `fd` until its sender ends or the hard stop. MSG_TRUNC makes TCP throw the
   bytes away without copying them, so that a host with little CPU does not measure its memory. */
static void count_bytes(const struct probe_plan *plan, int fd, struct flow *flow)
{
    uint64_t start = now_ns(MONOTONIC), last = start, measured_from = 0;
    uint64_t hard_stop = after(start, plan->seconds + GRACE_SECONDS);
    while (wait_before(fd, POLLIN, hard_stop)) {
        ssize_t length = recv(fd, NULL, DISCARD_BYTES, MSG_TRUNC | MSG_DONTWAIT);
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (length <= 0) {
            flow->complete = length == 0;
            break;
        }
        last = now_ns(MONOTONIC);
        if (flow->total_bytes == 0) start = last;
        flow->total_bytes += (uint64_t)length;
        if (measured_from) flow->bytes += (uint64_t)length;
        else if ((flow->total_bytes >= plan->warm_bytes && seconds_between(start, last) >= plan->warm_seconds) ||
                 seconds_between(start, last) >= plan->seconds * LATEST_WARM)
            measured_from = last;
        if (last >= hard_stop) break;
    }
    flow->total_seconds = seconds_between(start, last);
    flow->seconds = measured_from ? seconds_between(measured_from, last) : 0;
    if (flow->bytes == 0)
        snprintf(flow->problem, sizeof flow->problem,
                 "nothing came from %s after the warm-up (%llu bytes in all); "
                 "lengthen --seconds or shorten the warm-up",
                 flow->peer, (unsigned long long)flow->total_bytes);
}

static int accept_before(int listener, struct address *peer, uint64_t deadline)
{
    int fd = -1;
    peer->size = sizeof peer->socket;
    while (fd < 0 && wait_before(listener, POLLIN, deadline)) {
        fd = accept4(listener, (struct sockaddr *)&peer->socket, &peer->size, SOCK_CLOEXEC);
        if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) break;
    }
    return fd;
}

/* Two connections come in either order, as packets pass a link: the flow is the one on which more than a small message
   waits. */
static void tell_apart(int *flow, int *beside, uint64_t deadline)
{
    int more = 2, usual = 1;
    struct pollfd both[2] = {{.fd = *flow, .events = POLLIN}, {.fd = *beside, .events = POLLIN}};
    for (int i = 0; i < 2; i++) setsockopt(both[i].fd, SOL_SOCKET, SO_RCVLOWAT, &more, sizeof more);
    for (uint64_t now = now_ns(MONOTONIC); now < deadline; now = now_ns(MONOTONIC))
        if (poll(both, 2, (int)((deadline - now) / 1000000) + 1) > 0) break;
    for (int i = 0; i < 2; i++) setsockopt(both[i].fd, SOL_SOCKET, SO_RCVLOWAT, &usual, sizeof usual);
    if (both[0].revents || !both[1].revents) return;
    *flow = both[1].fd;
    *beside = both[0].fd;
}

void probe_receive(const struct probe_plan *plan, int listener, struct flow *flow)
{
    uint64_t deadline = after(now_ns(MONOTONIC), plan->accept_seconds);
    bool echoes = plan->ping_after_seconds >= 0;
    struct address peer, again;
    int fd = accept_before(listener, &peer, deadline);
    int beside = fd >= 0 && echoes ? accept_before(listener, &again, deadline) : -1;
    close(listener);
    if (fd < 0 || (echoes && beside < 0)) {
        snprintf(flow->problem, sizeof flow->problem,
                 "no sender connected within %g s; start it, or lengthen --accept-timeout", plan->accept_seconds);
        if (fd >= 0) close(fd);
        return;
    }
    format_endpoint(&peer, flow->peer);
    if (echoes) tell_apart(&fd, &beside, deadline);
    pthread_t echo;
    echoes = echoes && pthread_create(&echo, NULL, probe_echo, &beside) == 0;
    count_bytes(plan, fd, flow);
    close(fd);
    if (beside >= 0) shutdown(beside, SHUT_RDWR);
    if (echoes) pthread_join(echo, NULL);
    if (beside >= 0) close(beside);
}

/* After the last byte the receiver closes; until then bytes of ours are still under way. */
static bool wait_for_drain(int fd, uint64_t hard_stop)
{
    shutdown(fd, SHUT_WR);
    char byte;
    while (wait_before(fd, POLLIN, hard_stop)) {
        ssize_t length = recv(fd, &byte, 1, MSG_DONTWAIT);
        if (length == 0) return true;
        if (length < 0 && errno != EAGAIN && errno != EINTR) return false;
    }
    return false;
}

static int queue_bytes(const struct probe_plan *plan)
{
    if (plan->warm_bytes == 0 || plan->warm_bytes > MOST_QUEUE_BYTES) return MOST_QUEUE_BYTES;
    return plan->warm_bytes < LEAST_QUEUE_BYTES ? LEAST_QUEUE_BYTES : (int)plan->warm_bytes;
}

static void send_bytes(const struct probe_plan *plan, int fd, struct flow *flow)
{
    static const char zeros[WRITE_BYTES];
    int queue = queue_bytes(plan) / 2; /* the kernel doubles it */
    if (!plan->far) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
    uint64_t start = now_ns(MONOTONIC), stop = after(start, plan->seconds);
    uint64_t hard_stop = after(start, plan->seconds + GRACE_SECONDS);
    while (now_ns(MONOTONIC) < stop && wait_before(fd, POLLOUT, stop)) {
        ssize_t length = send(fd, zeros, sizeof zeros, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (length > 0) flow->total_bytes += (uint64_t)length;
        else if (errno != EAGAIN && errno != EINTR) {
            snprintf(flow->problem, sizeof flow->problem,
                     "the connection to %s broke (%s); look at the receiver's own message", flow->peer,
                     strerror(errno));
            break;
        }
    }
    if (!flow->problem[0]) flow->complete = wait_for_drain(fd, hard_stop);
    flow->bytes = flow->total_bytes;
    flow->seconds = flow->total_seconds = seconds_between(start, now_ns(MONOTONIC));
}

static int connect_flow(const struct probe_plan *plan, uint64_t deadline, struct flow *flow)
{
    int fd = connect_before(&plan->connect, plan->binds ? &plan->bind : NULL, deadline, true);
    if (fd < 0)
        snprintf(flow->problem, sizeof flow->problem,
                 "cannot connect to %s within %g s (%s); check that the receiver listens there", flow->peer,
                 plan->connect_seconds, strerror(errno));
    return fd;
}

/* The flow, and small messages beside it for as long as it sends. */
static void send_beside_pings(const struct probe_plan *plan, int fd, int beside, struct flow *flow)
{
    struct pings *pings = calloc(1, sizeof *pings);
    pthread_t thread;
    uint64_t start = now_ns(MONOTONIC);
    if (pings) {
        pings->fd = beside;
        pings->from_ns = after(start, plan->ping_after_seconds);
        pings->end_ns = after(start, plan->seconds);
    }
    bool sends = pings && pthread_create(&thread, NULL, probe_ping, pings) == 0;
    send_bytes(plan, fd, flow);
    if (sends) pthread_join(thread, NULL);
    if (sends) flow->round_trip_ms = ping_quantile(pings, 0.9);
    free(pings);
}

void probe_send(const struct probe_plan *plan, struct flow *flow)
{
    format_endpoint(&plan->connect, flow->peer);
    uint64_t deadline = after(now_ns(MONOTONIC), plan->connect_seconds);
    bool pings = plan->ping_after_seconds >= 0;
    int fd = connect_flow(plan, deadline, flow);
    int beside = fd >= 0 && pings ? connect_flow(plan, deadline, flow) : -1;
    if (beside >= 0) send_beside_pings(plan, fd, beside, flow);
    else if (fd >= 0 && !pings) send_bytes(plan, fd, flow);
    if (fd >= 0) close(fd);
    if (beside >= 0) close(beside);
}
