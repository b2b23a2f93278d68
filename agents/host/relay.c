/* `relay`: one loop over two ways, each with a buffer; a way ends when its source has ended and its buffer is empty. */
#include "address.h"
#include "agent.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int run_relay(struct arguments *arguments);

const struct command relay_command = {
    .name = "relay",
    .summary = "join stdin and stdout to a TCP connection (an SSH ProxyCommand)",
    .help = "predict-agent relay [--netns PATH] ADDRESS PORT\n"
            "Connects to a numeric ADDRESS within 10 s, from inside the network namespace at PATH\n"
            "if given, and carries bytes both ways until both ways have ended.\n\n"
            "Example: ssh -o ProxyCommand='predict-agent relay --netns /run/netns/lab1 %h %p' 10.0.0.1\n",
    .run = run_relay,
};

enum { CONNECT_SECONDS = 10, BUFFER_BYTES = 1 << 18 };

/* One way of the traffic: what was read and not yet written is in bytes[start, end). */
struct way {
    int from, to;
    bool read_ended, ended;
    size_t start, end;
    char bytes[BUFFER_BYTES];
};

static struct way outward, inward;
static int stdout_flags;

static void read_some(struct way *way)
{
    ssize_t length = read(way->from, way->bytes + way->end, BUFFER_BYTES - way->end);
    if (length > 0) way->end += (size_t)length;
    else if (length == 0 || (errno != EINTR && errno != EAGAIN)) way->read_ended = true;
}

/* False when the receiving side is gone. */
static bool write_some(struct way *way)
{
    ssize_t length = write(way->to, way->bytes + way->start, way->end - way->start);
    if (length < 0) return errno == EINTR || errno == EAGAIN;
    way->start += (size_t)length;
    if (way->start == way->end) way->start = way->end = 0;
    return true;
}

/* Its flags are put back first: a terminal's are shared with the shell. */
static void close_stdout(void)
{
    fcntl(1, F_SETFL, stdout_flags);
    close(1);
}

static void end_if_drained(struct way *way)
{
    if (way->ended || !way->read_ended || way->start < way->end) return;
    way->ended = true;
    if (way == &outward) shutdown(way->to, SHUT_WR);
    else close_stdout();
}

static short wanted_reads(const struct way *way) { return !way->read_ended && way->end < BUFFER_BYTES ? POLLIN : 0; }

static short wanted_writes(const struct way *way) { return way->start < way->end ? POLLOUT : 0; }

/* 0 when both ways ended, else the reason. A descriptor of -1 is not watched; stdout is watched
   even with nothing to write, so that a reader that went away ends the relay at once. */
static int carry(int peer)
{
    enum { IN, OUT, PEER };
    while (!outward.ended || !inward.ended) {
        struct pollfd watched[] = {
            [IN] = {.fd = wanted_reads(&outward) ? 0 : -1, .events = POLLIN},
            [OUT] = {.fd = inward.ended ? -1 : 1, .events = wanted_writes(&inward)},
            [PEER] = {.fd = peer, .events = (short)(wanted_reads(&inward) | wanted_writes(&outward))},
        };
        /* A peer that closed reports POLLHUP for ever: watch it only when there is something to do. */
        if (!watched[PEER].events) watched[PEER].fd = -1;
        if (poll(watched, 3, -1) < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        if (watched[IN].revents) read_some(&outward);
        if (watched[PEER].revents & (POLLIN | POLLHUP | POLLERR) && wanted_reads(&inward)) read_some(&inward);
        if (wanted_writes(&outward) && !write_some(&outward)) return errno;
        if (wanted_writes(&inward) && !write_some(&inward)) return EPIPE;
        /* A reader that went away: a pipe says POLLERR, a socket POLLHUP. */
        if (!inward.ended && watched[OUT].revents & (POLLERR | POLLHUP | POLLNVAL)) return EPIPE;
        end_if_drained(&outward);
        end_if_drained(&inward);
    }
    return 0;
}

/* Where the network namespace lies in a user namespace that this user made, that one is entered first. */
static bool enter_network(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool entered = setns(fd, CLONE_NEWNET) == 0;
    int reason = errno, owner = entered || reason != EPERM ? -1 : ioctl(fd, NS_GET_USERNS);
    if (owner >= 0) {
        entered = setns(owner, CLONE_NEWUSER) == 0 && setns(fd, CLONE_NEWNET) == 0;
        reason = errno;
        close(owner);
    }
    close(fd);
    errno = reason;
    return entered;
}

static int run_relay(struct arguments *arguments)
{
    const char *netns = NULL;
    while (next_option(arguments)) {
        if (option_is(arguments, "netns")) netns = option_text(arguments);
        else refuse_option(arguments);
    }
    const char *host = next_word(arguments), *port = host ? next_word(arguments) : NULL;
    if (!port) return misuse("give a numeric address and a port, such as 10.0.0.1 22");
    expect_end(arguments);
    struct address address;
    if (!parse_address(host, port, &address) || endpoint_port(&address) == 0)
        return misuse("\"%s\" \"%s\" is not a numeric address and port; resolve names before", host, port);
    if (netns && !enter_network(netns))
        return fail("cannot enter the network namespace %s (%s); is it there, and this user's or is this root?", netns,
                    strerror(errno));
    uint64_t deadline = now_ns(MONOTONIC) + (uint64_t)CONNECT_SECONDS * 1000000000u;
    int peer = connect_before(&address, NULL, deadline, false);
    if (peer < 0)
        return fail("cannot connect to %s port %s (%s); check that it listens there", host, port, strerror(errno));
    int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    outward.from = 0;
    outward.to = inward.from = peer;
    inward.to = 1;
    stdout_flags = fcntl(1, F_GETFL);
    fcntl(1, F_SETFL, stdout_flags | O_NONBLOCK);
    int reason = carry(peer);
    if (!inward.ended) close_stdout();
    if (reason) return fail("the connection to %s port %s broke (%s)", host, port, strerror(reason));
    return EXIT_DONE;
}
