// harness.cpp: runs the groups of checks in child processes and counts. Prints "N passed, M
// failed".
#include "harness.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;
static FILE *report; // within a child: to the parent

bool under_address_sanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

static void count(bool good, const char *title, const char *what, const char *detail) {
  if (good) {
    passed++;
    return;
  }
  failed++;
  printf("FAILED %s: %s\n%s", title, what, detail);
}

void check(bool condition, const char *what) {
  fprintf(report, "%c%s\n", condition ? 'P' : 'F', what);
}

void check_near(double value, double expected, double tolerance, const char *what) {
  bool good =
      fabs(value - expected) <= tolerance || (isnan(value) && isnan(expected)) || value == expected;
  fprintf(report, "%c%s: %.17g, expected %.17g\n", good ? 'P' : 'F', what, value, expected);
}

struct Outcome {
  std::string checks, errors; // what it reported, and its standard error
  std::string error, words;   // the CUDA error it ended with
  int status = 0;
};

static std::string read_all(FILE *file) {
  std::string text;
  rewind(file);
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) text += static_cast<char>(c);
  fclose(file);
  return text;
}

static void set_environment(const Environment &environment, const char *order) {
  setenv("TOCHA_SIMULATED_GPUS", std::to_string(environment.devices).c_str(), 1);
  setenv("TOCHA_SIMULATED_MEMORY", environment.memory, 1);
  setenv("TOCHA_SIMULATOR_FAULTS", environment.fault_handler ? "1" : "0", 1);
  setenv("TOCHA_SIMULATOR_ORDER", order, 1);
}

// In a child process. The parent never touches the simulator, so each child begins with a fresh
// one.
static Outcome run(void (*body)(), const Environment &environment, const char *order) {
  Outcome outcome;
  FILE *checks = tmpfile(), *errors = tmpfile();
  if (!checks || !errors) abort();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    report = checks;
    setvbuf(report, nullptr, _IONBF, 0);
    dup2(fileno(errors), STDERR_FILENO);
    set_environment(environment, order);
    alarm(60);
    body();
    cudaError_t error = cudaPeekAtLastError();
    fprintf(report, "E%s\nW%s\n", cudaGetErrorName(error), tocha_simulator_fault());
    _exit(0);
  }
  waitpid(child, &outcome.status, 0);
  std::string lines = read_all(checks);
  outcome.errors = read_all(errors);
  size_t at = 0;
  while (at < lines.size()) {
    size_t end = lines.find('\n', at);
    std::string line = lines.substr(at, end - at);
    at = end + 1;
    if (line[0] == 'E') outcome.error = line.substr(1);
    if (line[0] == 'W') outcome.words = line.substr(1);
    if (line[0] == 'P' || line[0] == 'F') outcome.checks += line + "\n";
  }
  return outcome;
}

static std::string described(const Outcome &o, const char *order) {
  return std::string("  order: ") + order + ", status: " + std::to_string(o.status) +
         "\n  error: " + o.error + "\n  words: " + o.words +
         "\n  stderr: " + o.errors.substr(0, 1500) + "\n";
}

static const char *const orders[] = {"ascending", "descending"};

static void count_checks(const char *title, const Outcome &outcome, const std::string &detail) {
  size_t at = 0;
  while (at < outcome.checks.size()) {
    size_t end = outcome.checks.find('\n', at);
    std::string line = outcome.checks.substr(at, end - at);
    count(line[0] == 'P', title, line.c_str() + 1, detail.c_str());
    at = end + 1;
  }
}

void expect_silence(const char *title, void (*body)(), Environment environment) {
  for (const char *order : orders) {
    Outcome o = run(body, environment, order);
    std::string detail = described(o, order);
    count_checks(title, o, detail);
    count(o.status == 0 && o.error == "cudaSuccess", title, "ended without an error",
          detail.c_str());
  }
}

void expect_fault(const char *title, void (*body)(), const char *error, const char *words,
                  const char *sanitizer_words, Environment environment) {
  for (const char *order : orders) {
    Outcome o = run(body, environment, order);
    std::string detail = described(o, order);
    count_checks(title, o, detail);
    bool reported = o.error == error && o.words.find(words) != std::string::npos;
    bool sanitized = sanitizer_words && under_address_sanitizer() && o.status != 0 &&
                     o.errors.find("ERROR: AddressSanitizer") != std::string::npos &&
                     o.errors.find(sanitizer_words) != std::string::npos;
    count(reported || sanitized, title, "is caught", detail.c_str());
  }
}

void expect_death(const char *title, void (*body)(), const char *words, Environment environment) {
  Outcome o = run(body, environment, "ascending");
  count(o.status != 0 && o.errors.find(words) != std::string::npos, title, "dies with a message",
        described(o, "ascending").c_str());
}

static bool (*ordered_body)();
static void run_ordered_body() { check(ordered_body(), "the result is right"); }

void expect_order_dependence(const char *title, bool (*body)()) {
  ordered_body = body;
  int right = 0;
  for (const char *order : orders) {
    Outcome o = run(run_ordered_body, Environment(), order);
    count(o.status == 0 && !o.checks.empty(), title, "runs", described(o, order).c_str());
    right += o.checks[0] == 'P';
  }
  count(right == 1, title, "shows in exactly one of the two orders", "");
}

int main() {
  execution_specs();
  memory_specs();
  stream_specs();
  fault_specs();
  graph_specs();
  matrix_specs();
  nccl_specs();
  nccl_group_specs();
  range_specs();
  number_specs();
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
