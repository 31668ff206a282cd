/* settings.cpp: see settings.h. A text is a list of key:value, where a value may be a list in brackets. */
#include "runtime/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace tocha {

static constexpr size_t UNIT = 512, MIB = 1 << 20, LARGE = 20 * MIB;

namespace {

/* The words of a text and where the reader is; `problem` receives the first error. */
struct Reader {
  std::vector<std::string> words;
  size_t at = 0;
  Settings *settings;
  char *problem;
  size_t capacity;

  /* Returns the next word, or an empty one at the end. */
  std::string next() { return at < words.size() ? words[at++] : std::string(); }

  __attribute__((format(printf, 2, 3))) bool fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, capacity, format, arguments);
    va_end(arguments);
    return false;
  }
  bool incomplete() {
    return fail("the allocator's settings end too early: \"%s\"", settings->text);
  }
  bool read_colon() { return next() == ":" || incomplete(); }
  bool read_size(size_t *answer);
  bool read_number(double *answer);
  bool read_flag(bool *answer);
  bool read_divisions();
  bool read_interval(bool first, size_t *last);
  bool read_value(const std::string &key);
};

} // namespace

static std::vector<std::string> words_of(const char *text) {
  std::vector<std::string> words;
  std::string word;
  for (; *text; text++) {
    if (strchr(",:[]", *text)) {
      if (!word.empty()) words.push_back(word);
      word.clear();
      words.emplace_back(1, *text);
    } else if (!isspace(static_cast<unsigned char>(*text))) {
      word += *text;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool Reader::read_size(size_t *answer) {
  std::string word = next();
  char *end;
  *answer = strtoull(word.c_str(), &end, 10);
  return (!word.empty() && end != word.c_str()) ||
         fail("expected a number, not '%s'", word.c_str());
}

bool Reader::read_number(double *answer) {
  std::string word = next();
  char *end;
  *answer = strtod(word.c_str(), &end);
  return (!word.empty() && end != word.c_str()) ||
         fail("expected a number, not '%s'", word.c_str());
}

bool Reader::read_flag(bool *answer) {
  size_t index = at;
  std::string word = next();
  *answer = word == "True";
  return *answer || word == "False" ||
         fail("Expected 'True' or 'False' at index %zu in ConfigTokenizer but got '%s'", index,
              word.c_str());
}

static bool is_power(size_t value) { return value && !(value & (value - 1)); }
static size_t logarithm(size_t value) { return 63 - static_cast<size_t>(__builtin_clzll(value)); }

/* Reads "boundary:divisions" or ">:divisions". *last: the interval of the boundary before. */
bool Reader::read_interval(bool first, size_t *last) {
  unsigned *table = settings->divisions;
  std::string boundary = next();
  size_t divisions;
  if (boundary.empty()) return incomplete();
  if (!read_colon() || !read_size(&divisions)) return false;
  if (divisions && !is_power(divisions))
    return fail("For roundups, the divisions has to be power of 2 or 0 to disable roundup ");
  unsigned value = static_cast<unsigned>(divisions);
  if (boundary == ">") {
    std::fill(table + std::min<size_t>(*last + 1, Settings::INTERVALS), table + Settings::INTERVALS,
              value);
    return true;
  }
  size_t size = strtoull(boundary.c_str(), nullptr, 10);
  if (!is_power(size)) return fail("For roundups, the intervals have to be power of 2 ");
  size_t index = std::min<size_t>(logarithm(size), Settings::INTERVALS - 1);
  std::fill(table + (first ? 0 : index), table + index + 1, value);
  *last = index;
  return true;
}

bool Reader::read_divisions() {
  if (at < words.size() && words[at] == "[") {
    at++;
    size_t last = 0;
    for (bool first = true;; first = false) {
      if (!read_interval(first, &last)) return false;
      std::string word = next();
      if (word == "]") return true;
      if (word != ",") return incomplete();
    }
  }
  size_t divisions;
  if (!read_size(&divisions)) return false;
  if (!is_power(divisions)) return fail("For roundups, the divisions has to be power of 2 ");
  std::fill(settings->divisions, settings->divisions + Settings::INTERVALS,
            static_cast<unsigned>(divisions));
  return true;
}

/* Reads the value of a key of sizes in MiB. */
static bool read_mebibytes(Reader *r, const char *key, size_t *answer) {
  size_t value;
  if (!r->read_size(&value)) return false;
  *answer = value * MIB;
  return value >= LARGE / MIB ||
         r->fail("CachingAllocator option %s too small, must be >= 20", key);
}

/* Reads the value of a key. Keys that PyTorch has and that change nothing here are read, too. */
bool Reader::read_value(const std::string &key) {
  Settings *s = settings;
  bool flag;
  size_t size;
  if (key == "max_split_size_mb") return read_mebibytes(this, key.c_str(), &s->max_split);
  if (key == "max_non_split_rounding_mb")
    return read_mebibytes(this, key.c_str(), &s->max_non_split_rounding);
  if (key == "large_segment_size_mb") {
    if (!read_size(&size)) return false;
    s->large_segment = size * MIB;
    return size > 10 || fail("CachingAllocator option large_segment_size_mb must be > 10 MB");
  }
  if (key == "garbage_collection_threshold")
    return read_number(&s->collection_threshold) &&
           ((s->collection_threshold > 0 && s->collection_threshold < 1) ||
            fail("garbage_collect_threshold is invalid, set it in (0.0, 1.0)"));
  if (key == "per_process_memory_fraction")
    return read_number(&s->fraction) &&
           ((s->fraction >= 0 && s->fraction <= 1) ||
            fail("per_process_memory_fraction is invalid, set it in [0.0, 1.0]"));
  if (key == "roundup_power2_divisions") return read_divisions();
  if (key == "backend") {
    std::string name = next();
    if (name == "cudaMallocAsync")
      return fail("the allocator's backend cudaMallocAsync is not there: native is the only one");
    return name == "native" ||
           fail("Unknown allocator backend, options are native and cudaMallocAsync");
  }
  if (key == "expandable_segments") return read_flag(&s->expandable);
  for (const char *known : {"release_lock_on_cudamalloc", "graph_capture_record_stream_reuse",
                            "throw_on_cudamalloc_oom", "pinned_use_cuda_host_register",
                            "pinned_use_background_threads", "pinned_free_catch_all"})
    if (key == known) return read_flag(&flag);
  for (const char *known : {"pinned_num_register_threads", "pinned_reserve_segment_size_mb",
                            "pinned_max_cached_size_mb", "pinned_max_round_threshold_mb"})
    if (key == known) return read_size(&size);
  return fail("Unrecognized key '%s' in Accelerator allocator config.", key.c_str());
}

const char *settings_of_environment() {
  const char *text = getenv("PYTORCH_ALLOC_CONF");
  if (!text) text = getenv("PYTORCH_CUDA_ALLOC_CONF");
  return text ? text : "";
}

bool read_settings(const char *text, Settings *settings, char *problem, size_t capacity) {
  *settings = {};
  snprintf(settings->text, sizeof settings->text, "%s", text);
  settings->max_split = SIZE_MAX;
  settings->max_non_split_rounding = settings->large_segment = LARGE;
  settings->fraction = 1;
  Reader r = {words_of(text), 0, settings, problem, capacity};
  while (r.at < r.words.size()) {
    std::string key = r.next();
    if (key == ",") continue;
    bool is_key = r.at < r.words.size() && r.words[r.at] == ":";
    if (is_key) r.at++;
    if (!r.read_value(key)) return false;
    if (r.at < r.words.size() && r.next() != ",") return r.incomplete();
  }
  return true;
}

/* Returns the size rounded up to one of so many equal steps between two powers of two. */
static size_t rounded_by(size_t size, size_t divisions) {
  if (is_power(size)) return size;
  size_t step = (static_cast<size_t>(1) << logarithm(size)) >> logarithm(divisions);
  return (size + step - 1) / step * step;
}

size_t rounded_size(const Settings &settings, size_t bytes) {
  if (bytes < UNIT) return UNIT;
  size_t interval = bytes > MIB ? logarithm(bytes) - logarithm(MIB) : 0;
  size_t divisions = settings.divisions[std::min<size_t>(interval, Settings::INTERVALS - 1)];
  if (divisions > 1 && bytes > UNIT * divisions) return rounded_by(bytes, divisions);
  return (bytes + UNIT - 1) / UNIT * UNIT;
}

} // namespace tocha
