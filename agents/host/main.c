/* predict-agent: finds the subcommand in the table and gives it the rest of the words. */
#include "agent.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &facts_command, &sample_command,  &ranks_command, &link_command,        &keep_command,
    &shape_command, &probe_command,   &hold_command,  &group_command,       &relay_command,
    &guard_command, &install_command, &pipes_command, &keep_groups_command,
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_overview(FILE *out)
{
    fputs("predict-agent COMMAND [OPTION]...: what predict runs on each host of the cluster.\n\n", out);
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 the lock is taken (hold), 20 to 25 of link.\n"
          "Example: predict-agent facts --help\n",
          out);
}

int main(int count, char **words)
{
    signal(SIGPIPE, SIG_IGN);
    /* A caller may have closed these, and the next file opened would pass for stdin or stdout. */
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return EXIT_FAILED;
    if (count < 2) {
        print_overview(stderr);
        return EXIT_MISUSED;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(words[1], commands[i]->name) != 0) continue;
        running_command = commands[i];
        struct arguments arguments = {.count = count, .words = words, .next = 2};
        return commands[i]->run(&arguments);
    }
    fprintf(stderr, "predict-agent: there is no command \"%s\"; see predict-agent --help\n", words[1]);
    return EXIT_MISUSED;
}
