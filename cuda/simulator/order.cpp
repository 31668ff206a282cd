// order.cpp: checks that two accesses of the same memory are ordered. A vector clock for each
// stream and one for the host, merged at event records, waits and synchronizations, decide that at
// submission, whether or not the wrong order would have shown this time.
#include "machine.h"

namespace simulator {

static const size_t max_accesses = 1000;

void Clock::set(unsigned stream, uint64_t number) {
  if (stream >= known.size()) known.resize(stream + 1);
  known[stream] = number;
}

void Clock::merge(const Clock &other) {
  if (other.known.size() > known.size()) known.resize(other.known.size());
  for (size_t i = 0; i < other.known.size(); i++)
    if (other.known[i] > known[i]) known[i] = other.known[i];
}

static bool overlaps(const Access &access, const Touch &touch) {
  return access.low < touch.high && touch.low < access.high;
}

static const char *deed(bool writes) { return writes ? "writes" : "reads"; }

static bool report(CUstream_st *stream, const Access &earlier, const Touch &touch,
                   const char *name) {
  CUstream_st *other = machine().streams[earlier.stream];
  fault(
      cudaErrorUnknown,
      "unordered: %s %s %s on %sstream %u, and nothing orders it after %s, which %s it on %sstream "
      "%u: an event or a synchronization is missing",
      name, deed(touch.writes), describe_address(touch.low).c_str(),
      stream->is_null ? "default " : "", stream->id, earlier.name, deed(earlier.writes),
      other->is_null ? "default " : "", other->id);
  return false;
}

// Returns true if a new access makes an earlier one redundant: work ordered after the new access is
// also ordered after the earlier one.
static bool outdated(const Access &old, const Touch &touch, const Clock &clock) {
  bool covered = touch.low <= old.low && old.high <= touch.high;
  bool ordered = old.number <= clock.of(old.stream);
  return ordered && ((covered && (touch.writes || !old.writes)) ||
                     old.number <= machine().host.of(old.stream));
}

bool check_order(CUstream_st *stream, Work *work, const char *name) {
  const Clock &clock = stream->clock;
  for (const Touch &touch : work->touched)
    for (const Access &old : touch.allocation->accesses)
      if (old.number > clock.of(old.stream) && overlaps(old, touch) && (old.writes || touch.writes))
        return report(stream, old, touch, name);
  for (const Touch &touch : work->touched) {
    std::vector<Access> &accesses = touch.allocation->accesses;
    size_t kept = 0;
    bool known = false; // from an earlier argument of the same item
    for (const Access &old : accesses) {
      bool own = old.stream == stream->id && old.number == work->number;
      known |=
          own && old.low <= touch.low && touch.high <= old.high && (old.writes || !touch.writes);
      if (own || !outdated(old, touch, clock)) accesses[kept++] = old;
    }
    accesses.resize(kept);
    if (kept > max_accesses) // thousands of parts of one allocation: drop the oldest
      accesses.erase(accesses.begin(), accesses.begin() + max_accesses / 2);
    if (!known)
      accesses.push_back({touch.low, touch.high, stream->id, work->number, name, touch.writes});
  }
  return true;
}

} // namespace simulator
