"""Asks real PyTorch what the programs and the specs of this folder expect.

    python spec/golden/ask.py all             asks everything: every program, and every script of SCRIPTS
    python spec/golden/ask.py                 runs every program, writes its .expected
    python spec/golden/ask.py print           the same for one topic
    python spec/golden/ask.py path/prog.lua   prints what one program answers
    GOLDEN_DEVICE=cuda GOLDEN_OUT=folder python spec/golden/ask.py a/b.lua ...
                                              asks on another device; answers go to folder/a_b.txt

Needs a python with PyTorch (the CPU is enough) and NumPy, and liblua5.4.so.0 on the system; some scripts and topics need
another package, whose name is told where it is missing. `all` writes the versions that answered into VERSION unless something
was refused. An output that shows a failure of the bridge is refused, never written. GOLDEN_TRACE=1 shows Python's tracebacks."""
import importlib.metadata
import os
import re
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

warnings.filterwarnings("ignore")
import torch
from bridge.program import run
from processes import printed_by, script

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOLS = ("bridge", "random_programs", "distributed")   # folders whose Lua files are no programs, or have a script of their own
SCRIPTS = (                             # the slowest first
    "awkward.py", "ops.py", "examples/ask.py", "out.py", "facts.py", "float8.py", "digits/convolutions.py", "digits/attention.py", "digits/batch_norms.py",
    "digits/layer_norms.py", "digits/small_products.py", "random_programs/ask.py", "distributed/stores.py", "plot/ticks.py", "plot/kinds.py",
    "profiler/tables.py", "checkpoints.py", "objects.py", "networks.py", "modules.py", "optimizers.py", "numpy/files/make.py", "pictures.py", "cifar.py", "text/ask.py",
    "hints.py", "names.py", "memory/summary.py", "distributed/ask.py", "distributed_engine.py",
)
PACKAGES = ("torchvision", "numpy", "safetensors", "scipy", "scikit-learn", "matplotlib", "torchinfo", "torchmetrics", "tensorboard", "tokenizers", "pillow")
SUSPECT = re.compile(r"attempt to |LuaTable|LuaFunction|luatorch|bridge|table: 0x|function: 0x|object at 0x|__main__|ask\.py|No module named '[^']*'")


def answer(path):
    """Returns the output of a program, and what is wrong with it or None."""
    printed, ended = printed_by(lambda: os.chdir(ROOT) or run(path))
    found = SUSPECT.search(printed.decode("utf-8", "replace"))
    problem = None
    if not ended or found:
        problem = "suspect: " + found.group(0) if ended else printed[-600:].decode("utf-8", "replace")
    return printed, problem


def write(path):
    printed, problem = answer(path)
    if problem is None:
        with open(path[:-4] + ".expected", "wb") as f:
            f.write(printed)
    return problem


def write_elsewhere(path):
    """Writes the answer of another device, refused or not, into the folder GOLDEN_OUT."""
    printed, problem = answer(path)
    name = "_".join(path[:-4].split(os.sep)[-2:])
    with open(os.path.join(os.environ["GOLDEN_OUT"], name + (".refused" if problem else ".txt")), "wb") as f:
        f.write(printed)
    return problem


def run_script(path):
    """Runs a script, which writes its answers, and prints the end of its output and its seconds. Returns the problem or None."""
    start = time.monotonic()
    printed, ended = printed_by(script(path), errors=True)
    text = printed.decode("utf-8", "replace").strip()
    print(f"{os.path.relpath(path, HERE)}, {time.monotonic() - start:.0f} s", *text.split("\n")[-3:] if ended else (), sep="\n  ", flush=True)
    return None if ended else text[-600:]


def ask(pairs, workers=2):
    """Calls each (function, path) in this order, and returns the problems by path."""
    with ThreadPoolExecutor(workers) as pool:
        problems = list(pool.map(lambda pair: pair[0](pair[1]), pairs))
    return {os.path.relpath(path, HERE): problem for (_, path), problem in zip(pairs, problems) if problem}


def programs(topics):
    topics = topics or sorted(d for d in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, d)) and d not in TOOLS)
    return [os.path.join(HERE, t, f) for t in topics for f in sorted(os.listdir(os.path.join(HERE, t))) if f.endswith(".lua")]


def write_version():
    with open(os.path.join(HERE, "VERSION"), "w") as f:
        f.write(f"PyTorch {torch.__version__}\n")
        f.writelines(f"{name} {importlib.metadata.version(name)}\n" for name in PACKAGES)


def report(count, refused):
    """Prints what was refused and which packages were missing, and ends the program."""
    for path, problem in refused.items():
        print("refused", path, problem, sep="\n  ")
    missing = sorted(set(re.findall(r"No module named '([^']*)'", "\n".join(refused.values()))))
    if missing:
        print("missing packages:", *missing)
    print(f"{count} asked, {len(refused)} refused")
    sys.exit(1 if refused else 0)


def main(arguments):
    arguments = [os.path.abspath(word) if word.endswith(".lua") else word for word in arguments]
    if "GOLDEN_DEVICE" in os.environ:
        os.makedirs(os.environ["GOLDEN_OUT"], exist_ok=True)
        refused = ask([(write_elsewhere, path) for path in arguments], min(8, os.cpu_count()))
        print(f"{len(arguments)} programs on {os.environ['GOLDEN_DEVICE']}, PyTorch {torch.__version__}, {len(refused)} refused")
        return
    if len(arguments) == 1 and arguments[0].endswith(".lua"):
        printed, problem = answer(arguments[0])
        sys.stdout.buffer.write(printed)
        sys.exit(problem and "\nrefused: " + problem)
    everything = arguments == ["all"]
    pairs = [(run_script, os.path.join(HERE, name)) for name in SCRIPTS] if everything else []
    pairs += [(write, path) for path in programs(None if everything else arguments)]
    refused = ask(pairs)
    if everything and not refused:
        write_version()
    report(len(pairs), refused)


if __name__ == "__main__":
    main(sys.argv[1:])
