/* Statistics as the output block has them: Graph500 specification 2.0, section 9, and its 3.0 reference. The error of
   a harmonic mean is that of N. Norris, "The standard errors of the geometric and harmonic means and their application
   to index numbers", Annals of Mathematical Statistics 11 (1940). */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum / n;
}

static double stddev_of(const double *x, int n, double mean)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (n - 1)) : 0;
}

/* Quantiles as the 3.0 reference takes them: the mean of the two nearest order statistics. */
static void order_statistics(struct summary *s, const double *sorted, int n)
{
    s->min = sorted[0];
    s->first_quartile = (sorted[(n - 1) / 4] + sorted[n / 4]) / 2;
    s->median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    s->third_quartile = (sorted[n - 1 - (n - 1) / 4] + sorted[n - 1 - n / 4]) / 2;
    s->max = sorted[n - 1];
}

/* The harmonic mean's standard error follows from that of the mean of 1/x to first order. */
static void harmonic(struct summary *s, double *x, int n)
{
    for (int i = 0; i < n; i++) x[i] = 1 / x[i];
    double mean = mean_of(x, n);
    s->harmonic_mean = 1 / mean;
    s->harmonic_stddev = n > 1 ? stddev_of(x, n, mean) / (mean * mean * sqrt(n - 1)) : 0;
}

struct summary summarise(const double *values, int count)
{
    struct summary s = {0};
    if (count == 0) return s;
    double *copy = take((size_t)count * sizeof *copy);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    qsort(copy, (size_t)count, sizeof *copy, ascending);
    order_statistics(&s, copy, count);
    s.mean = mean_of(values, count);
    s.stddev = stddev_of(values, count, s.mean);
    harmonic(&s, copy, count);
    free(copy);
    return s;
}
