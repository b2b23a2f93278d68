/* Which socket is which connection: a copy of its descriptor says it, for a moment (pidfd_getfd(2)), or where that may
   not be had /proc/net/tcp, which costs ms on a host with room for many connections. sock_diag(7) says what waits in
   one and how much it takes, for one at a time, so that the number of others costs nothing. */
#include "files.h"
#include "pipes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static const unsigned char mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

static bool is_mapped(const struct in6_addr *address)
{
    return memcmp(address, mapped_prefix, sizeof mapped_prefix) == 0;
}

/* Addresses in /proc/net/tcp are words of the machine's byte order, in hex. */
static bool take_address(const char *hex, size_t digits, struct in6_addr *address)
{
    memcpy(address, mapped_prefix, sizeof mapped_prefix);
    uint32_t *words = (uint32_t *)(void *)address + (digits == 8 ? 3 : 0);
    for (size_t i = 0; i < digits / 8; i++) {
        char word[9] = {0};
        memcpy(word, hex + i * 8, 8);
        words[i] = (uint32_t)strtoul(word, NULL, 16);
    }
    return digits == 8 || digits == 32;
}

static bool parse_line(const char *line, struct connection *connection, ino_t *inode)
{
    enum { ESTABLISHED = 1, CLOSE_WAIT = 8, FIN_WAIT1 = 4 };
    char local[33], remote[33];
    unsigned local_port, remote_port, state;
    unsigned long long number;
    if (sscanf(line, "%*u: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %llu", local, &local_port,
               remote, &remote_port, &state, &number) != 6)
        return false;
    size_t digits = strlen(local);
    if ((state != ESTABLISHED && state != CLOSE_WAIT && state != FIN_WAIT1) || strlen(remote) != digits) return false;
    *connection = (struct connection){.local_port = (uint16_t)local_port, .remote_port = (uint16_t)remote_port};
    if (!take_address(local, digits, &connection->local) || !take_address(remote, digits, &connection->remote))
        return false;
    connection->is_v4 = digits == 8;
    *inode = (ino_t)number;
    return true;
}

enum { TABLES = 2 };

static char *tables[TABLES];

void forget_connections(void)
{
    for (int i = 0; i < TABLES; i++) {
        free(tables[i]);
        tables[i] = NULL;
    }
}

void visit_connections(void (*visit)(const struct connection *, ino_t inode, void *), void *context)
{
    static const char *const paths[TABLES] = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    for (int i = 0; i < TABLES; i++) {
        if (!tables[i]) tables[i] = read_whole(paths[i]);
        for (const char *line = tables[i]; line; line = strchr(line, '\n')) {
            if (*line == '\n') line++;
            struct connection connection;
            ino_t inode;
            if (parse_line(line, &connection, &inode)) visit(&connection, inode, context);
        }
    }
}

static void name_address(const struct in6_addr *address, char *text, socklen_t size)
{
    if (is_mapped(address)) inet_ntop(AF_INET, (const unsigned char *)address + 12, text, size);
    else inet_ntop(AF_INET6, address, text, size);
}

void name_connection(const struct connection *connection, char *name, size_t size)
{
    char local[INET6_ADDRSTRLEN], remote[INET6_ADDRSTRLEN];
    name_address(&connection->local, local, sizeof local);
    name_address(&connection->remote, remote, sizeof remote);
    snprintf(name, size, "tcp:%s:%u-%s:%u", local, connection->local_port, remote, connection->remote_port);
}

static bool parse_address(const char *text, struct in6_addr *address)
{
    if (inet_pton(AF_INET6, text, address) == 1) return true;
    memcpy(address, mapped_prefix, sizeof mapped_prefix);
    return inet_pton(AF_INET, text, (unsigned char *)address + 12) == 1;
}

/* ADDRESS:PORT, where an address may hold colons of its own. */
static bool parse_side(char *text, struct in6_addr *address, uint16_t *port)
{
    char *colon = strrchr(text, ':');
    double number;
    if (!colon) return false;
    *colon = '\0';
    char *end;
    number = (double)strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || *end || number > 65535) return false;
    *port = (uint16_t)number;
    return parse_address(text, address);
}

bool parse_connection(const char *name, struct connection *connection)
{
    char text[CHANNEL_NAME];
    if (strncmp(name, "tcp:", 4) != 0 || strlen(name) >= sizeof text) return false;
    strcpy(text, name + 4);
    char *dash = strchr(text, '-');
    if (!dash) return false;
    *dash = '\0';
    *connection = (struct connection){0};
    return parse_side(text, &connection->local, &connection->local_port) &&
           parse_side(dash + 1, &connection->remote, &connection->remote_port);
}

int open_diag(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    struct timeval patience = {.tv_usec = 100000};
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static void take_attributes(const struct nlmsghdr *answer, struct channel *channel)
{
    const struct inet_diag_msg *message = NLMSG_DATA(answer);
    int left = (int)(answer->nlmsg_len - NLMSG_LENGTH(sizeof *message));
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    for (struct nlattr *at = (struct nlattr *)(message + 1); left >= (int)sizeof *at && at->nla_len >= sizeof *at;) {
        size_t length = at->nla_len - sizeof *at;
        if (at->nla_type == INET_DIAG_SKMEMINFO)
            memcpy(memory, at + 1, length < sizeof memory ? length : sizeof memory);
        if (at->nla_type == INET_DIAG_INFO) {
            struct tcp_info info = {0};
            memcpy(&info, at + 1, length < sizeof info ? length : sizeof info);
            channel->sent = info.tcpi_bytes_acked;
            channel->received = info.tcpi_bytes_received;
        }
        int step = (int)NLA_ALIGN(at->nla_len);
        left -= step;
        at = (struct nlattr *)((char *)at + step);
    }
    /* sk_stream_is_writeable(): a third must be free. The queue counts the kernel's overhead, as its limit does. */
    uint64_t queued = memory[SK_MEMINFO_WMEM_QUEUED], limit = memory[SK_MEMINFO_SNDBUF];
    channel->level = message->idiag_wqueue;
    channel->unread = message->idiag_rqueue;
    channel->capacity = limit;
    channel->full = limit > 0 && queued * 3 >= limit * 2;
}

enum { ANSWER_BYTES = 4096 };

/* Asks for one connection; what the kernel says of it, or NULL. */
static const struct nlmsghdr *ask(int diag, const struct connection *connection, uint8_t extensions, char *answer)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 ask;
    } request = {
        .head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .ask = {.sdiag_family = connection->is_v4 ? AF_INET : AF_INET6,
                .sdiag_protocol = IPPROTO_TCP,
                .idiag_ext = extensions,
                .id = {.idiag_sport = htons(connection->local_port),
                       .idiag_dport = htons(connection->remote_port),
                       .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
    };
    size_t from = connection->is_v4 ? 12 : 0, length = connection->is_v4 ? 4 : 16;
    memcpy(request.ask.id.idiag_src, (const char *)&connection->local + from, length);
    memcpy(request.ask.id.idiag_dst, (const char *)&connection->remote + from, length);
    if (diag < 0 || send(diag, &request, sizeof request, 0) < 0) return NULL;
    ssize_t got = recv(diag, answer, ANSWER_BYTES, 0);
    const struct nlmsghdr *head = (const struct nlmsghdr *)(const void *)answer;
    if (got < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        head->nlmsg_len > (size_t)got)
        return NULL;
    return head;
}

bool read_socket(int diag, struct channel *channel)
{
    _Alignas(8) char answer[ANSWER_BYTES];
    const uint8_t extensions = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_SKMEMINFO - 1);
    const struct nlmsghdr *head = ask(diag, &channel->connection, extensions, answer);
    if (head) take_attributes(head, channel);
    return head != NULL;
}

ino_t inode_of_connection(int diag, const struct connection *connection)
{
    _Alignas(8) char answer[ANSWER_BYTES];
    struct connection wanted = *connection;
    wanted.is_v4 = is_mapped(&wanted.local) && is_mapped(&wanted.remote);
    const struct nlmsghdr *head = ask(diag, &wanted, 0, answer);
    return head ? ((const struct inet_diag_msg *)NLMSG_DATA(head))->idiag_inode : 0;
}

static bool take_side(const struct sockaddr_storage *side, struct in6_addr *address, uint16_t *port)
{
    if (side->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)side;
        memcpy(address, mapped_prefix, sizeof mapped_prefix);
        memcpy((unsigned char *)address + 12, &v4->sin_addr, 4);
        *port = ntohs(v4->sin_port);
        return true;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)side;
    *address = v6->sin6_addr;
    *port = ntohs(v6->sin6_port);
    return side->ss_family == AF_INET6;
}

enum answer ask_socket(int pid, int fd, ino_t inode, struct connection *connection)
{
    struct stat found;
    struct sockaddr_storage local = {0}, remote = {0};
    socklen_t local_length = sizeof local, remote_length = sizeof remote, type_length = sizeof(int);
    int type = 0, process = (int)syscall(SYS_pidfd_open, pid, 0u);
    int copy = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0u);
    if (process >= 0) close(process);
    if (copy < 0) return UNKNOWN;
    enum answer answer = UNKNOWN;
    if (fstat(copy, &found) == 0 && found.st_ino == inode && S_ISSOCK(found.st_mode)) {
        *connection = (struct connection){0};
        answer = getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &type_length) == 0 && type == SOCK_STREAM &&
                         getsockname(copy, (struct sockaddr *)&local, &local_length) == 0 &&
                         getpeername(copy, (struct sockaddr *)&remote, &remote_length) == 0 &&
                         take_side(&local, &connection->local, &connection->local_port) &&
                         take_side(&remote, &connection->remote, &connection->remote_port)
                     ? YES
                     : NO;
        connection->is_v4 = local.ss_family == AF_INET;
    }
    close(copy);
    return answer;
}
