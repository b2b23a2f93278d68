/* `facts`: reads what a host is and has from /proc, /etc, the kernel and PATH, once, and prints it as JSON. */
#include "agent.h"
#include "cgroup.h"
#include "files.h"
#include "json.h"
#include "link.h"
#include "links.h"
#include "root-qdisc.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static int run_facts(struct arguments *arguments);

const struct command facts_command = {
    .name = "facts",
    .summary = "print what this host is and has, as one JSON object",
    .help =
        "predict-agent facts [--interface NAME] [--network CIDR] [--preload-check yes|no]\n"
        "The data interface is the one named, or the first that is up with an address in CIDR; the data\n"
        "address is its address in CIDR, or its first; null when there is none. --preload-check no leaves out the look for a usable\n"
        "libpredict-idle.so beside this program. No other program is run.\n\n"
        "Example: predict-agent facts --network 10.0.0.0/24\n",
    .run = run_facts,
};

/* From /etc/passwd by hand: getpwuid needs shared libraries, which a static program may not find. */
static void write_user(struct json *json)
{
    static char line_user[256];
    char *table = read_whole("/etc/passwd");
    const char *user = NULL;
    for (char *line = table; line && *line && !user; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        unsigned long id;
        if (sscanf(line, "%255[^:\n]:%*[^:\n]:%lu:", line_user, &id) == 2 && id == getuid()) user = line_user;
    }
    if (!user) user = getenv("LOGNAME");
    if (!user) user = getenv("USER");
    json_text(json, "user", user);
    free(table);
}

static void write_memory(struct json *json)
{
    char text[4096];
    uint64_t total = 0, available = 0;
    if (read_small(AT_FDCWD, "/proc/meminfo", text, sizeof text) > 0) {
        find_count(text, "MemTotal:", &total);
        find_count(text, "MemAvailable:", &available);
    }
    json_count(json, "memoryBytes", total * 1024);
    json_count(json, "memoryAvailableBytes", available * 1024);
}

static void write_clock(struct json *json)
{
    char boot[64] = "";
    read_small(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    boot[strcspn(boot, "\n")] = '\0';
    json_open(json, "clock", '{');
    json_nanos(json, "realtimeNs", now_ns(REALTIME));
    json_nanos(json, "monotonicNs", now_ns(MONOTONIC));
    json_text(json, "bootId", boot[0] ? boot : NULL);
    json_close(json, '}');
}

static void write_link(struct json *json, const struct link *link)
{
    json_open(json, NULL, '{');
    json_text(json, "name", link->name);
    json_text(json, "mac", link->mac[0] ? link->mac : NULL);
    json_count(json, "mtu", link->mtu);
    json_flag(json, "up", link->up);
    if (link->speed_mbit < 0) json_null(json, "speedMbit");
    else json_count(json, "speedMbit", (uint64_t)link->speed_mbit);
    json_open(json, "addresses", '[');
    for (int i = 0; i < link->addresses_count; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s/%d", link->addresses[i].text, link->addresses[i].prefix);
        json_text(json, NULL, text);
    }
    json_close(json, ']');
    json_text(json, "type", link->type);
    json_close(json, '}');
}

/* The shell's PATH, then the places that a shell without a login leaves out. */
static void write_tool(struct json *json, const char *tool)
{
    static const char more[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    const char *own = getenv("PATH");
    char search[8192], path[PATH_MAX];
    snprintf(search, sizeof search, "%s:%s", own ? own : "", more);
    for (const char *at = search; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, tool);
        at += length;
        struct stat status;
        if (path[0] != '/' || stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, X_OK) != 0) continue;
        json_text(json, tool, path);
        return;
    }
    json_null(json, tool);
}

/* The library beside this program, if it is one for the same kind of machine. */
static void write_idle_library(struct json *json)
{
    char path[PATH_MAX];
    Elf64_Ehdr own = {0}, library = {0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    bool usable = length > 0;
    if (usable) {
        path[length] = '\0';
        usable = read_small(AT_FDCWD, path, (char *)&own, sizeof own) > 0;
        char *slash = strrchr(path, '/');
        strcpy(slash ? slash : path, "/libpredict-idle.so");
        usable = usable && read_small(AT_FDCWD, path, (char *)&library, sizeof library) > 0 &&
                 memcmp(library.e_ident, ELFMAG, SELFMAG) == 0 && library.e_machine == own.e_machine &&
                 library.e_ident[EI_CLASS] == own.e_ident[EI_CLASS];
    }
    json_text(json, "idleLibrary", usable ? path : NULL);
}

/* What a throttled run depends on beside its rate: how TCP sends, and what queues where nothing is throttled. */
static void write_sending(struct json *json, const struct link *data)
{
    static const char *const settings[][2] = {{"congestionControl", "/proc/sys/net/ipv4/tcp_congestion_control"},
                                              {"defaultQdisc", "/proc/sys/net/core/default_qdisc"}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char text[64] = "";
        read_small(AT_FDCWD, settings[i][1], text, sizeof text);
        text[strcspn(text, "\n")] = '\0';
        json_text(json, settings[i][0], text[0] ? text : NULL);
    }
    char qdisc[QDISC_NAME];
    json_text(json, "dataQdisc", data && root_qdisc(data->index, qdisc) ? qdisc : NULL);
}

static int run_facts(struct arguments *arguments)
{
    const char *interface = NULL, *cidr = NULL;
    bool preload = true;
    struct network network;
    while (next_option(arguments)) {
        if (option_is(arguments, "interface")) interface = option_text(arguments);
        else if (option_is(arguments, "network")) cidr = option_text(arguments);
        else if (option_is(arguments, "preload-check")) preload = strcmp(option_text(arguments), "no") != 0;
        else refuse_option(arguments);
    }
    expect_end(arguments);
    if (cidr && !parse_network(cidr, &network)) return misuse("--network must be like 10.0.0.0/24, not \"%s\"", cidr);
    struct link *links = NULL;
    int count = list_links(&links);
    if (count < 0) return fail("cannot list the network interfaces (%s); is rtnetlink allowed here?", strerror(errno));

    struct json json = {.out = stdout};
    struct utsname system;
    uname(&system);
    json_open(&json, NULL, '{');
    json_text(&json, "hostname", system.nodename);
    json_text(&json, "kernel", system.release);
    json_text(&json, "arch", system.machine);
    json_count(&json, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    write_memory(&json);
    write_clock(&json);
    write_user(&json);
    json_count(&json, "euid", geteuid());
    json_open(&json, "interfaces", '[');
    for (int i = 0; i < count; i++) write_link(&json, &links[i]);
    json_close(&json, ']');
    const struct network *within = cidr ? &network : NULL;
    const struct link *data = data_link(links, count, interface, within);
    const struct link_address *address = data ? data_address(data, within) : NULL;
    json_text(&json, "dataInterface", data ? data->name : NULL);
    json_text(&json, "dataAddress", address ? address->text : NULL);
    write_sending(&json, data);
    free(links);
    json_open(&json, "tools", '{');
    static const char *const tools[] = {"tc", "ip", "sudo", "setsid", "mpirun", "mpicc", "srun"};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) write_tool(&json, tools[i]);
    json_close(&json, '}');
    json_open(&json, "features", '{');
    json_flag(&json, "ifb", can_make_ifb());
    enum known netem = can_make_netem();
    if (netem == KNOWN_NEITHER) json_null(&json, "netem");
    else json_flag(&json, "netem", netem == KNOWN_YES);
    json_close(&json, '}');
    json_flag(&json, "systemd", systemd_runs());
    json_text(&json, "cgroup", cgroup_version());
    json_number(&json, "cpuQuota", cpu_quota_cores());
    if (preload) write_idle_library(&json);
    json_close(&json, '}');
    if (!json_end(&json)) return fail("cannot write the facts to stdout (%s)", strerror(errno));
    return EXIT_DONE;
}
