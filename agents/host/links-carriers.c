/* Which links of a host carry bytes of their own. Of links that stand on each other only the lowest in this network
   namespace count, so that no byte counts twice. */
#include "links.h"

#include <string.h>

enum { DEEPEST = 8 };

static bool is_kind(const struct link *link, const char *const kinds[])
{
    for (; *kinds; kinds++)
        if (strcmp(link->type, *kinds) == 0) return true;
    return false;
}

bool carries_own(const struct link *link)
{
    /* What is behind an ifb arrived at another link; tunnels, VLANs and devices over members hand all to others. */
    static const char *const others[] = {"loopback", "ifb",    "bridge",  "bond", "team",   "vrf",       "tun",
                                         "sit",      "ipip",   "gre",     "vti",  "vti6",   "gretap",    "ip6gre",
                                         "ip6tnl",   "erspan", "vxlan",   "xfrm", "geneve", "wireguard", "ip6gretap",
                                         "dummy",    "nlmon",  "bareudp", NULL};
    static const char *const own_queues[] = {"ipoib", NULL}, *const pair[] = {"veth", NULL};
    if (is_kind(link, others)) return false;
    /* A partition of InfiniBand has counters apart from those of the device that it was made of. */
    if (is_kind(link, own_queues)) return true;
    /* The end of a container's link in a bridge of this host: what leaves the host passes another member. */
    if (is_kind(link, pair) && link->master) return false;
    return link->lower == 0;
}

/* The lower link of a veth is its other end, which counts what is sent as received. */
static bool stands_on(const struct link *upper, const struct link *link)
{
    return link->master == upper->index || (link->index == upper->lower && strcmp(upper->type, "veth") != 0);
}

static bool is_under(const struct link *links, int count, const struct link *upper, const struct link *link, int depth)
{
    if (stands_on(upper, link)) return true;
    for (int i = 0; depth > 0 && i < count; i++)
        if (stands_on(upper, &links[i]) && is_under(links, count, &links[i], link, depth - 1)) return true;
    return false;
}

bool is_below(const struct link *links, int count, const struct link *data, const struct link *link)
{
    return link != data && is_under(links, count, data, link, DEEPEST);
}
