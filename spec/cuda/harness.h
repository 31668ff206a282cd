// harness.h: checks of the simulated GPU. Each group of checks and each planted fault runs in a
// child process with an environment of its own, so that a fault that kills its process is a result
// like any other.
#ifndef TOCHA_SPEC_CUDA_HARNESS_H
#define TOCHA_SPEC_CUDA_HARNESS_H

#include <stddef.h>

struct Environment {
  int devices = 1;
  const char *memory = "1G";
  bool fault_handler = true;
};

// Within a child: one check, counted as passed or failed.
void check(bool condition, const char *what);
void check_near(double value, double expected, double tolerance, const char *what);

// Runs the body twice, threads ascending and descending; no fault may be left behind.
void expect_silence(const char *title, void (*body)(), Environment environment = Environment());

// The body provokes a fault: in both orders the error must be `error` ("cudaError...") and its
// description contain `words`. Under AddressSanitizer, which may see it first and end the process,
// a report that contains `sanitizer_words` (if given) does as well.
void expect_fault(const char *title, void (*body)(), const char *error, const char *words,
                  const char *sanitizer_words = nullptr, Environment environment = Environment());

// The body must die of a signal (or a sanitizer) after printing `words` to standard error.
void expect_death(const char *title, void (*body)(), const char *words, Environment environment);

// The body says whether its result was right; it must be right in exactly one of the two orders.
void expect_order_dependence(const char *title, bool (*body)());

bool under_address_sanitizer();

// The groups, one a file.
void execution_specs();
void memory_specs();
void stream_specs();
void fault_specs();
void graph_specs();
void matrix_specs();
void nccl_specs();
void nccl_group_specs();
void number_specs();
void range_specs();

#endif
