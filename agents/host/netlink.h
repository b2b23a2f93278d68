/* rtnetlink(7): one request, its answers. */
#ifndef NETLINK_H
#define NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

/* Sends `request`, calls `take` per answer until the kernel ends it; 0, or the error as errno. */
int netlink_ask(struct nlmsghdr *request, void (*take)(const struct nlmsghdr *, void *), void *context);

#endif
