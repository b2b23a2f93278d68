/* What every subcommand of predict-agent shares: its table entry, its arguments, its failures. */
#ifndef AGENT_H
#define AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Where the agent keeps what ends with the boot; see owned.h. */
#define RUN_FOLDER "/run/predict"

enum { PROBLEM = 512 }; /* room for one sentence */
enum { TOKEN_MOST = 64 };

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2, EXIT_TAKEN = 3 };

struct arguments {
    int count;
    char **words;
    int next;
    const char *option;       /* the option last returned by next_option, without its dashes */
    const char *joined_value; /* the value of --option=value, or NULL */
};

struct command {
    const char *name;
    const char *summary;
    const char *help;
    int (*run)(struct arguments *arguments);
};

extern const struct command facts_command, sample_command, ranks_command, link_command, keep_command, shape_command,
    probe_command, hold_command, group_command, relay_command, guard_command, install_command, pipes_command,
    keep_groups_command;

/* The subcommand being run; main sets it before anything else. */
extern const struct command *running_command;

/* Both print "predict-agent COMMAND: SENTENCE" on stderr and return the exit code. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The next option's name without dashes, or NULL at the first plain word or the end.
   `--help` prints the help and exits 0. */
const char *next_option(struct arguments *arguments);
/* The next plain word, or NULL at the end. */
const char *next_word(struct arguments *arguments);
bool option_is(const struct arguments *arguments, const char *name);

/* The value of the option last returned; these exit with EXIT_MISUSED when it is missing or bad. */
const char *option_text(struct arguments *arguments);
double option_number(struct arguments *arguments, double least, double most);
uint64_t option_count(struct arguments *arguments);
_Noreturn void refuse_option(const struct arguments *arguments);
/* Exits with EXIT_MISUSED unless all words were taken. */
void expect_end(struct arguments *arguments);

/* The value of --token or --run: 8 to TOKEN_MOST letters and digits. */
const char *option_token(struct arguments *arguments);

/* A decimal number and nothing else but white space after it: no sign, hex, inf or nan. */
bool parse_decimal(const char *text, double *number);

#endif
