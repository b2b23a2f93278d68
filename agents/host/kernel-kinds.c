/* Whether an ifb device and a netem qdisc could be made here, without making one: loaded, listed as a module, or known
   to the kernel. */
#include "files.h"
#include "links.h"
#include "netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The index of lo in every network namespace. */
enum { LOOPBACK = 1 };

/* `file` is the module's, such as "/ifb.ko". */
static bool listed_as_module(const char *file)
{
    static const char *const lists[] = {"modules.builtin", "modules.dep"};
    struct utsname system;
    uname(&system);
    for (int i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, "/lib/modules/%s/%s", system.release, lists[i]);
        char *text = read_whole(path);
        bool listed = text && strstr(text, file);
        free(text);
        if (listed) return true;
    }
    return false;
}

static struct rtattr *add_attribute(struct nlmsghdr *header, int type, const void *data, size_t size)
{
    struct rtattr *attribute = (struct rtattr *)((char *)header + NLMSG_ALIGN(header->nlmsg_len));
    attribute->rta_type = (unsigned short)type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(size);
    if (size) memcpy(RTA_DATA(attribute), data, size);
    header->nlmsg_len = NLMSG_ALIGN(header->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

/* Asks the kernel for an ifb with no transmit queue, which it can never make: it answers
   EOPNOTSUPP where it knows no such kind, and finds the queues at fault where it does. */
static bool kernel_knows_ifb(void)
{
    struct {
        struct nlmsghdr header;
        struct ifinfomsg message;
        char attributes[128];
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                   .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
    };
    uint32_t no_queue = 0;
    add_attribute(&request.header, IFLA_NUM_TX_QUEUES, &no_queue, sizeof no_queue);
    struct rtattr *info = add_attribute(&request.header, IFLA_LINKINFO, NULL, 0);
    add_attribute(&request.header, IFLA_INFO_KIND, "ifb", 4);
    info->rta_len = (unsigned short)((char *)&request + request.header.nlmsg_len - (char *)info);
    int reason = netlink_ask(&request.header, NULL, NULL);
    return reason == EINVAL || reason == ENOMEM || reason == ERANGE;
}

bool can_make_ifb(void)
{
    return access("/sys/module/ifb", F_OK) == 0 || listed_as_module("/ifb.ko") || kernel_knows_ifb();
}

/* Asks the kernel for a netem without a delay or anything else about it, which it can never make: it finds the request
   at fault where it knows netem, and answers ENOENT where it does not. */
static enum known kernel_knows_netem(void)
{
    struct {
        struct nlmsghdr header;
        struct tcmsg message;
        char attributes[64];
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)),
                   .nlmsg_type = RTM_NEWQDISC,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE | NLM_F_EXCL},
        .message = {.tcm_ifindex = LOOPBACK, .tcm_parent = TC_H_ROOT},
    };
    add_attribute(&request.header, TCA_KIND, "netem", sizeof "netem");
    int reason = netlink_ask(&request.header, NULL, NULL);
    return reason == EINVAL ? KNOWN_YES : reason == ENOENT ? KNOWN_NO : KNOWN_NEITHER;
}

enum known can_make_netem(void)
{
    if (access("/sys/module/sch_netem", F_OK) == 0 || listed_as_module("/sch_netem.ko")) return KNOWN_YES;
    return kernel_knows_netem();
}
