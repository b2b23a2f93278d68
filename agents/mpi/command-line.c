/* Reads arguments by a table of options. The last of two wins. */
#include "command-line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void command_line_list(FILE *file, struct option_table table, int column)
{
    for (const struct option *o = table.options; o < table.options + table.count; o++) {
        int width = fprintf(file, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        fprintf(file, "%*s%s\n", width < column ? column - width : 1, "", o->help);
    }
}

static const struct option *find(struct option_table table, const char *name)
{
    if (!strcmp(name, "-h")) name = "--help";
    for (const struct option *o = table.options; o < table.options + table.count; o++)
        if (!strcmp(name, o->name)) return o;
    return NULL;
}

/* A whole number in the option's range; anything else is refused. */
static int read_number(const struct option *option, const char *text, uint64_t *out, char *error)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n < option->least || n > option->most) {
        snprintf(error, 256, "%s must be a whole number from %llu to %llu, not '%.60s'.", option->name,
                 (unsigned long long)option->least, (unsigned long long)option->most, text);
        return 0;
    }
    *out = n;
    return 1;
}

static int read_fraction(const struct option *option, const char *text, double *out, char *error)
{
    char *end;
    double x = strtod(text, &end);
    if (*end || end == text || strpbrk(text, "xXnN") || !(x >= 0 && x <= 1)) {
        snprintf(error, 256, "%s must be a number from 0 to 1, not '%.60s'.", option->name, text);
        return 0;
    }
    *out = x;
    return 1;
}

static int read_choice(const struct option *option, const char *text, int *out, char *error)
{
    size_t length = strlen(text);
    int place = 0;
    for (const char *word = option->value; *word; place++) {
        size_t n = strcspn(word, "|");
        if (n == length && !strncmp(word, text, n)) {
            *out = place;
            return 1;
        }
        word += n + (word[n] == '|');
    }
    snprintf(error, 256, "%s must be one of %s, not '%.60s'.", option->name, option->value, text);
    return 0;
}

/* `text` is NULL for a flag. */
static int enter(void *into, const struct option *option, const char *text, char *error)
{
    void *field = (char *)into + option->field;
    uint64_t n = option->least;
    if ((option->kind == INT || option->kind == WORD) && !read_number(option, text, &n, error)) return 0;
    switch (option->kind) {
    case WORD: *(uint64_t *)field = n; break;
    case TEXT: *(const char **)field = text; break;
    case FRACTION: return read_fraction(option, text, field, error);
    case CHOICE: return read_choice(option, text, field, error);
    case INT:
    case FLAG: *(int *)field = (int)n; break;
    }
    return 1;
}

int command_line_read(void *into, struct option_table table, int argc, char **argv, char error[256])
{
    int positional = 0;
    for (int i = 1; i < argc; i++) {
        const struct option *option = find(table, argv[i]);
        const char *text = NULL;
        if (!option && argv[i][0] != '-' && positional < table.positionals) {
            option = &table.options[positional++];
            text = argv[i];
        } else if (!option) {
            snprintf(error, 256, "unknown option '%.60s'; --help lists the options.", argv[i]);
            return 0;
        } else if (option->kind != FLAG) {
            if (i + 1 == argc || argv[i + 1][0] == '\0') {
                snprintf(error, 256, "%s needs a value.", option->name);
                return 0;
            }
            text = argv[++i];
        }
        if (!enter(into, option, text, error)) return 0;
    }
    return 1;
}
