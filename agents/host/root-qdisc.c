/* IFLA_QDISC of one link, out of a dump over rtnetlink(7): no tc is needed, which hosts may lack. */
#include "root-qdisc.h"
#include "netlink.h"

#include <linux/if_link.h>
#include <stdio.h>
#include <sys/socket.h>

struct wanted {
    int index;
    char *name;
};

static void take_qdisc(const struct nlmsghdr *answer, void *context)
{
    const struct wanted *wanted = context;
    const struct ifinfomsg *message = NLMSG_DATA(answer);
    if (answer->nlmsg_type != RTM_NEWLINK || message->ifi_index != wanted->index) return;
    int left = (int)IFLA_PAYLOAD(answer);
    for (const struct rtattr *part = IFLA_RTA(message); RTA_OK(part, left); part = RTA_NEXT(part, left))
        if (part->rta_type == IFLA_QDISC)
            snprintf(wanted->name, QDISC_NAME, "%.*s", (int)RTA_PAYLOAD(part), (const char *)RTA_DATA(part));
}

bool root_qdisc(int index, char name[QDISC_NAME])
{
    struct {
        struct nlmsghdr header;
        struct rtgenmsg message;
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                   .nlmsg_type = RTM_GETLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .message = {.rtgen_family = AF_UNSPEC},
    };
    struct wanted wanted = {.index = index, .name = name};
    name[0] = '\0';
    return netlink_ask(&request.header, take_qdisc, &wanted) == 0 && name[0];
}
