/* The words after a subcommand, as options, values and plain words; and sentences on stderr, with their exit codes. */
#include "agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *running_command;

static void complain(const char *format, va_list values)
{
    fprintf(stderr, "predict-agent %s: ", running_command ? running_command->name : "");
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

int fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(format, values);
    va_end(values);
    return EXIT_FAILED;
}

int misuse(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complain(format, values);
    va_end(values);
    return EXIT_MISUSED;
}

static _Noreturn void refuse_word(const char *word)
{
    exit(misuse("\"%s\" was not expected here; see predict-agent %s --help", word, running_command->name));
}

const char *next_option(struct arguments *a)
{
    static char name[64];
    if (a->next >= a->count) return NULL;
    const char *word = a->words[a->next];
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        fputs(running_command->help, stdout);
        exit(fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED);
    }
    if (strncmp(word, "--", 2) != 0) return NULL;
    a->next++;
    if (word[2] == '\0') return NULL;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    if (length >= sizeof name) refuse_word(word);
    memcpy(name, word + 2, length);
    name[length] = '\0';
    a->option = name;
    a->joined_value = equals ? equals + 1 : NULL;
    return name;
}

const char *next_word(struct arguments *a) { return a->next < a->count ? a->words[a->next++] : NULL; }

bool option_is(const struct arguments *a, const char *name) { return strcmp(a->option, name) == 0; }

const char *option_text(struct arguments *a)
{
    if (a->joined_value) return a->joined_value;
    if (a->next < a->count) return a->words[a->next++];
    exit(misuse("--%s came without its value; see predict-agent %s --help", a->option, running_command->name));
}

double option_number(struct arguments *a, double least, double most)
{
    const char *text = option_text(a);
    double number;
    if (!parse_decimal(text, &number) || number < least || number > most)
        exit(misuse("--%s must be a number from %.15g to %.15g, not \"%s\"", a->option, least, most, text));
    return number;
}

uint64_t option_count(struct arguments *a)
{
    const char *text = option_text(a);
    char *end;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        exit(misuse("--%s must be a whole number, not \"%s\"", a->option, text));
    return count;
}

const char *option_token(struct arguments *a)
{
    static const char allowed[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *text = option_text(a);
    size_t length = strlen(text);
    if (length < 8 || length > TOKEN_MOST || strspn(text, allowed) != length)
        exit(misuse("--%s must be 8 to %d letters and digits", a->option, TOKEN_MOST));
    return text;
}

void refuse_option(const struct arguments *a)
{
    exit(misuse("there is no option --%s; see predict-agent %s --help", a->option, running_command->name));
}

void expect_end(struct arguments *a)
{
    if (a->next < a->count) refuse_word(a->words[a->next]);
}

bool parse_decimal(const char *text, double *number)
{
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length > 40 || strspn(text + length, " \t\r\n") != strlen(text + length)) return false;
    char *end;
    *number = strtod(text, &end);
    return end == text + length;
}
