/* Reads and writes numeric endpoints; connects without blocking, bounded by a deadline on CLOCK_MONOTONIC. */
#include "address.h"
#include "files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool parse_address(const char *host, const char *port, struct address *address)
{
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end || number > 65535) return false;
    memset(address, 0, sizeof *address);
    struct sockaddr_in *four = (struct sockaddr_in *)&address->socket;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)number);
        address->size = sizeof *four;
        return true;
    }
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->socket;
    if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1) return false;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)number);
    address->size = sizeof *six;
    return true;
}

bool parse_endpoint(const char *text, struct address *address)
{
    char host[ENDPOINT_TEXT];
    const char *colon = strrchr(text, ':');
    if (!colon || (size_t)(colon - text) >= sizeof host) return false;
    size_t length = (size_t)(colon - text);
    bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
    if (bracketed) snprintf(host, sizeof host, "%.*s", (int)length - 2, text + 1);
    else snprintf(host, sizeof host, "%.*s", (int)length, text);
    if (!bracketed && strchr(host, ':')) return false;
    return parse_address(host, colon + 1, address);
}

uint16_t endpoint_port(const struct address *address)
{
    /* sin_port and sin6_port stand at the same place. */
    return ntohs(((const struct sockaddr_in *)&address->socket)->sin_port);
}

void format_endpoint(const struct address *address, char text[ENDPOINT_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "?";
    bool six = address->socket.ss_family == AF_INET6;
    const void *bytes = six ? (const void *)&((const struct sockaddr_in6 *)&address->socket)->sin6_addr
                            : (const void *)&((const struct sockaddr_in *)&address->socket)->sin_addr;
    inet_ntop(address->socket.ss_family, bytes, host, sizeof host);
    snprintf(text, ENDPOINT_TEXT, six ? "[%s]:%u" : "%s:%u", host, endpoint_port(address));
}

bool wait_before(int fd, short events, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now = now_ns(MONOTONIC);
        uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
        struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        struct pollfd watched = {.fd = fd, .events = events};
        int ready = ppoll(&watched, 1, &timeout, NULL);
        if (ready > 0) return true;
        if (ready == 0 && left == 0) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/* One attempt; -1 with errno (ETIMEDOUT at the deadline). */
static int connect_once(const struct address *to, const struct address *from, uint64_t deadline_ns)
{
    int fd = socket(to->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    int reason = 0;
    if (from && bind(fd, (const struct sockaddr *)&from->socket, from->size) != 0) reason = errno;
    else if (connect(fd, (const struct sockaddr *)&to->socket, to->size) != 0) reason = errno;
    if (reason == EINPROGRESS) {
        socklen_t size = sizeof reason;
        if (!wait_before(fd, POLLOUT, deadline_ns)) reason = ETIMEDOUT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &size) != 0) reason = errno;
    }
    if (reason == 0) return fd;
    close(fd);
    errno = reason;
    return -1;
}

static bool may_pass(int reason)
{
    return reason == ECONNREFUSED || reason == EHOSTUNREACH || reason == ENETUNREACH || reason == ECONNRESET ||
           reason == EADDRNOTAVAIL || reason == EAGAIN;
}

int connect_before(const struct address *to, const struct address *from, uint64_t deadline_ns, bool retry)
{
    for (;;) {
        int fd = connect_once(to, from, deadline_ns);
        if (fd >= 0 || !retry || !may_pass(errno)) return fd;
        int reason = errno;
        if (now_ns(MONOTONIC) + 50000000u >= deadline_ns) {
            errno = reason;
            return -1;
        }
        usleep(50000);
    }
}
