/* Interfaces and addresses by two dumps over rtnetlink(7), speeds by ethtool's ioctl. */
#include "links.h"
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct listing {
    struct link *links;
    int count;
};

static void name_type(struct link *link, int hardware, const struct rtattr *info)
{
    const char *type = hardware == ARPHRD_ETHER        ? "ethernet"
                       : hardware == ARPHRD_LOOPBACK   ? "loopback"
                       : hardware == ARPHRD_INFINIBAND ? "infiniband"
                                                       : "other";
    snprintf(link->type, sizeof link->type, "%s", type);
    if (!info) return;
    int left = (int)RTA_PAYLOAD(info);
    for (const struct rtattr *part = RTA_DATA(info); RTA_OK(part, left); part = RTA_NEXT(part, left))
        if (part->rta_type == IFLA_INFO_KIND)
            snprintf(link->type, sizeof link->type, "%.*s", (int)RTA_PAYLOAD(part), (const char *)RTA_DATA(part));
}

static void name_mac(struct link *link, const struct rtattr *address)
{
    const uint8_t *bytes = RTA_DATA(address);
    int any = 0;
    for (size_t i = 0; i < RTA_PAYLOAD(address) && i < 20; i++) {
        any |= bytes[i];
        sprintf(link->mac + 3 * i, i + 1 < RTA_PAYLOAD(address) ? "%02x:" : "%02x", bytes[i]);
    }
    if (!any) link->mac[0] = '\0';
}

static void take_bytes(struct link *link, const struct rtattr *counters)
{
    struct rtnl_link_stats64 bytes;
    if (RTA_PAYLOAD(counters) < offsetof(struct rtnl_link_stats64, rx_errors)) return;
    /* Attributes are aligned to 4 bytes, its numbers to 8. */
    memcpy(&bytes, RTA_DATA(counters), offsetof(struct rtnl_link_stats64, rx_errors));
    link->received = bytes.rx_bytes;
    link->sent = bytes.tx_bytes;
}

static void take_link(const struct nlmsghdr *answer, void *context)
{
    struct listing *listing = context;
    if (answer->nlmsg_type != RTM_NEWLINK) return;
    struct link *links = realloc(listing->links, (size_t)(listing->count + 1) * sizeof *links);
    if (!links) return;
    listing->links = links;
    struct link *link = &links[listing->count++];
    memset(link, 0, sizeof *link);
    const struct ifinfomsg *message = NLMSG_DATA(answer);
    const struct rtattr *info = NULL;
    link->index = message->ifi_index;
    link->speed_mbit = -1;
    link->up = (message->ifi_flags & IFF_UP) && (message->ifi_flags & IFF_RUNNING);
    bool elsewhere = false;
    int left = (int)IFLA_PAYLOAD(answer);
    for (const struct rtattr *part = IFLA_RTA(message); RTA_OK(part, left); part = RTA_NEXT(part, left)) {
        if (part->rta_type == IFLA_IFNAME) snprintf(link->name, sizeof link->name, "%s", (char *)RTA_DATA(part));
        else if (part->rta_type == IFLA_MTU) link->mtu = *(uint32_t *)RTA_DATA(part);
        else if (part->rta_type == IFLA_ADDRESS) name_mac(link, part);
        else if (part->rta_type == IFLA_LINKINFO) info = part;
        else if (part->rta_type == IFLA_MASTER) link->master = *(int *)RTA_DATA(part);
        else if (part->rta_type == IFLA_LINK) link->lower = *(int *)RTA_DATA(part);
        else if (part->rta_type == IFLA_LINK_NETNSID) elsewhere = true;
        else if (part->rta_type == IFLA_STATS64) take_bytes(link, part);
    }
    if (elsewhere || link->lower == link->index) link->lower = 0;
    name_type(link, message->ifi_type, info);
}

static void take_address(const struct nlmsghdr *answer, void *context)
{
    struct listing *listing = context;
    const struct ifaddrmsg *message = NLMSG_DATA(answer);
    struct link *link = NULL;
    for (int i = 0; i < listing->count; i++)
        if (listing->links[i].index == (int)message->ifa_index) link = &listing->links[i];
    if (answer->nlmsg_type != RTM_NEWADDR || !link || link->addresses_count == LINK_ADDRESSES) return;
    /* On point-to-point links IFA_ADDRESS is the peer's and IFA_LOCAL ours. */
    const struct rtattr *own = NULL;
    int left = (int)IFA_PAYLOAD(answer);
    for (const struct rtattr *part = IFA_RTA(message); RTA_OK(part, left); part = RTA_NEXT(part, left))
        if (part->rta_type == IFA_LOCAL || (part->rta_type == IFA_ADDRESS && !own)) own = part;
    if (!own || RTA_PAYLOAD(own) > 16) return;
    struct link_address *address = &link->addresses[link->addresses_count++];
    address->family = message->ifa_family;
    address->prefix = message->ifa_prefixlen;
    memcpy(address->bytes, RTA_DATA(own), RTA_PAYLOAD(own));
    inet_ntop(address->family, address->bytes, address->text, sizeof address->text);
}

/* ETHTOOL_GSET is the old form that every driver still answers through the kernel's translation. */
static void read_speeds(struct link *links, int count)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (int i = 0; fd >= 0 && i < count; i++) {
        struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
        struct ifreq request = {.ifr_data = (char *)&settings};
        memcpy(request.ifr_name, links[i].name, sizeof request.ifr_name);
        if (ioctl(fd, SIOCETHTOOL, &request) != 0) continue;
        uint32_t speed = (uint32_t)settings.speed_hi << 16 | settings.speed;
        if (speed != 0 && speed != UINT16_MAX && speed != UINT32_MAX) links[i].speed_mbit = speed;
    }
    if (fd >= 0) close(fd);
}

static int ask_for(int type, void (*take)(const struct nlmsghdr *, void *), struct listing *listing)
{
    struct {
        struct nlmsghdr header;
        struct rtgenmsg message;
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                   .nlmsg_type = (unsigned short)type,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .message = {.rtgen_family = AF_UNSPEC},
    };
    return netlink_ask(&request.header, take, listing);
}

int list_links(struct link **links)
{
    struct listing listing = {0};
    int reason = ask_for(RTM_GETLINK, take_link, &listing);
    if (!reason) reason = ask_for(RTM_GETADDR, take_address, &listing);
    if (reason) {
        free(listing.links);
        errno = reason;
        return -1;
    }
    read_speeds(listing.links, listing.count);
    *links = listing.links;
    return listing.count;
}

bool parse_network(const char *text, struct network *network)
{
    char address[64];
    const char *slash = strchr(text, '/');
    if (!slash || (size_t)(slash - text) >= sizeof address) return false;
    snprintf(address, sizeof address, "%.*s", (int)(slash - text), text);
    memset(network, 0, sizeof *network);
    network->family = strchr(address, ':') ? AF_INET6 : AF_INET;
    if (inet_pton(network->family, address, network->bytes) != 1) return false;
    char *end;
    long prefix = strtol(slash + 1, &end, 10);
    network->prefix = (int)prefix;
    return slash[1] >= '0' && slash[1] <= '9' && !*end && prefix <= (network->family == AF_INET ? 32 : 128);
}

bool network_contains(const struct network *network, const struct link_address *address)
{
    if (network->family != address->family) return false;
    for (int bit = 0; bit < network->prefix; bit++)
        if ((network->bytes[bit / 8] ^ address->bytes[bit / 8]) & (0x80 >> bit % 8)) return false;
    return true;
}

const struct link_address *data_address(const struct link *link, const struct network *network)
{
    for (int i = 0; network && i < link->addresses_count; i++)
        if (network_contains(network, &link->addresses[i])) return &link->addresses[i];
    if (network) return NULL;
    for (int i = 0; i < link->addresses_count; i++)
        if (link->addresses[i].family == AF_INET) return &link->addresses[i];
    return link->addresses_count ? &link->addresses[0] : NULL;
}

const struct link *data_link(const struct link *links, int count, const char *name, const struct network *network)
{
    const struct link *chosen = NULL;
    for (int i = 0; i < count; i++) {
        bool fits = name ? strcmp(links[i].name, name) == 0 : network && data_address(&links[i], network);
        if (fits && (!chosen || (links[i].up && !chosen->up))) chosen = &links[i];
    }
    return chosen;
}
