/* Numeric IPv4 and IPv6 endpoints: no names, since static glibc cannot resolve them everywhere. */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct address {
    struct sockaddr_storage socket;
    socklen_t size;
};

enum { ENDPOINT_TEXT = 64 };

bool parse_address(const char *host, const char *port, struct address *address);
/* "10.0.0.1:5000" or "[fe80::1]:5000". */
bool parse_endpoint(const char *text, struct address *address);
void format_endpoint(const struct address *address, char text[ENDPOINT_TEXT]);
uint16_t endpoint_port(const struct address *address);

/* A non-blocking socket connected from `from` (or NULL) before `deadline_ns` (CLOCK_MONOTONIC);
   refused and unreachable peers are tried again every 50 ms when `retry`. -1 with errno. */
int connect_before(const struct address *to, const struct address *from, uint64_t deadline_ns, bool retry);
/* Waits for events on one descriptor; false when the deadline passed first. */
bool wait_before(int fd, short events, uint64_t deadline_ns);

#endif
