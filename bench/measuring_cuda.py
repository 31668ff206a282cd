"""Times of cases on the GPU, for the files named *_cuda.py; measuring_cuda.lua is the same for Tocha.

Prints a line a case: "name<TAB>nanoseconds<TAB>ns<TAB>bytes moved, or nothing<TAB>nanoseconds of the host".
SMALL=1 in the environment: small tensors, one batch. BENCH_DEVICE=cpu: only shows that all cases run, without a GPU.
"""
import os
import sys
import time

import torch

SMALL = os.environ.get("SMALL") == "1"
BATCHES, BATCH_MS, WARM_MS = (1, 0, 0) if SMALL else (7, 20, 500)
cuda = torch.device(os.environ.get("BENCH_DEVICE", "cuda"))

cases, bare_cases = [], []


def sized(large, small):
    """Returns the large size, or the small one with SMALL=1."""
    return small if SMALL else large


def case(name, bytes_moved=None, where=None):
    """Registers prepare(), which returns the function to call repeatedly."""

    def register(prepare):
        (cases if where is None else where).append((name, prepare, bytes_moved))
        return prepare

    return register


def rand(*size):
    return torch.rand(size, device=cuda)


class Clock:
    """Replaces an event if there is no GPU."""

    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, later):
        return (later.at - self.at) * 1e3


def milliseconds(call, count, start, stop):
    """Returns the milliseconds of count calls on the GPU, and on the host. The GPU's include waiting if the host is slower."""
    start.record()
    before = time.process_time()
    for _ in range(count):
        call()
    host = (time.process_time() - before) * 1e3
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop), host


def two_events():
    return [Clock() if cuda.type == "cpu" else torch.cuda.Event(enable_timing=True) for _ in range(2)]


def nanoseconds(call):
    """Returns the nanoseconds of a call on the GPU, and on the host."""
    events = two_events()
    count = 1
    call()
    while True:
        elapsed, _ = milliseconds(call, count, *events)
        if elapsed >= BATCH_MS:
            break
        count = count * 10 if elapsed < BATCH_MS / 100 else int(count * BATCH_MS // elapsed) + 1
    batches = (BATCHES + 1) // 2 if count == 1 else BATCHES
    times = [milliseconds(call, count, *events) for _ in range(batches)]
    gpu, host = sorted(t[0] for t in times), sorted(t[1] for t in times)
    return gpu[batches // 2] / count * 1e6, host[batches // 2] / count * 1e6


def warm():
    """Keeps an idle GPU busy until its clocks have risen."""
    a, events = rand(sized(2048, 8), sized(2048, 8)), two_events()
    elapsed = 0
    while elapsed < WARM_MS:
        elapsed += milliseconds(lambda: a @ a, 20, *events)[0]


def main():
    """Runs the cases that the program's arguments select: speed or bare, and a pattern."""
    what = sys.argv[1] if len(sys.argv) > 1 else "speed"
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    if cuda.type == "cuda" and not torch.cuda.is_available():
        print("bench: this PyTorch sees no GPU", file=sys.stderr)
        return
    warm()
    for name, prepare, bytes_moved in bare_cases if what == "bare" else cases:
        if pattern in name:
            torch.manual_seed(1)
            torch.backends.cudnn.enabled = True
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
            try:
                value, host = nanoseconds(prepare())
                print(f"{name}\t{value:.1f}\tns\t{bytes_moved or ''}\t{host:.1f}", flush=True)
            except Exception as e:  # no memory, no torchvision: the other cases still run
                print(f"{name}\tmissing\t{(str(e) or repr(e)).splitlines()[0]}", flush=True)
            torch.set_default_device("cpu")
            if cuda.type == "cuda":
                torch.cuda.empty_cache()
