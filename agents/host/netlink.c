/* A request, and its answers up to NLMSG_DONE or an error, within 5 s. */
#include "netlink.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_BYTES = 1 << 18 };

static int ask(int fd, struct nlmsghdr *request, char *buffer, void (*take)(const struct nlmsghdr *, void *),
               void *context)
{
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    request->nlmsg_seq = 1;
    if (sendto(fd, request, request->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) return errno;
    for (;;) {
        ssize_t length = recv(fd, buffer, ANSWER_BYTES, 0);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) return length < 0 ? errno : EPIPE;
        unsigned left = (unsigned)length;
        for (struct nlmsghdr *answer = (struct nlmsghdr *)buffer; NLMSG_OK(answer, left);
             answer = NLMSG_NEXT(answer, left)) {
            if (answer->nlmsg_type == NLMSG_DONE) return 0;
            if (answer->nlmsg_type == NLMSG_ERROR) return -((struct nlmsgerr *)NLMSG_DATA(answer))->error;
            if (take) take(answer, context);
        }
    }
}

int netlink_ask(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *, void *), void *context)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return errno;
    struct timeval patience = {.tv_sec = 5};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char *buffer = malloc(ANSWER_BYTES);
    int result = buffer ? ask(fd, request, buffer, take, context) : ENOMEM;
    free(buffer);
    close(fd);
    return result;
}
