"""Asks real PyTorch what the Lua programs of this folder must print.

    python spec/golden/ask.py                 run every program, write its .expected
    python spec/golden/ask.py print           the same for one topic
    python spec/golden/ask.py path/prog.lua   print what one program answers
    GOLDEN_DEVICE=cuda GOLDEN_OUT=folder python spec/golden/ask.py a/b.lua ...
                                              ask on another device; answers go to folder/a_b.txt

Needs a python with PyTorch (2.x, the CPU is enough) and NumPy, and liblua5.4.so.0 on the system.  A run over everything
writes the version of PyTorch that answered into VERSION.  bridge.py runs them.
An output that shows a failure of the bridge is refused, never written."""
import ctypes as C
import os
import re
import sys
import tempfile

import torch
from bridge import run

HERE = os.path.dirname(os.path.abspath(__file__))
SUSPECT = re.compile(r"attempt to |LuaTable|LuaFunction|luatorch|bridge|table: 0x|function: 0x|object at 0x|__main__|ask\.py")


def answer(path):
    """the output of a program in a process of its own, and what is wrong with it"""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            problem = run(path)
            sys.stdout.flush()
            C.CDLL(None).fflush(None)
            if problem:
                os.write(1, ("\nbridge: " + problem).encode())
            os._exit(1 if problem else 0)
        status = os.waitpid(child, 0)[1]
        out.seek(0)
        printed = out.read()
    found = SUSPECT.search(printed.decode("utf-8", "replace"))
    problem = None
    if status or found:
        problem = printed[-600:].decode("utf-8", "replace") if status else "suspect: " + found.group(0)
    return printed, problem


def write(path):
    printed, problem = answer(path)
    if problem is None:
        with open(path[:-4] + ".expected", "wb") as f:
            f.write(printed)
    return path, problem


def write_elsewhere(path):
    """an answer of another device, refused or not, in the folder GOLDEN_OUT"""
    printed, problem = answer(path)
    name = "_".join(path[:-4].split(os.sep)[-2:])
    with open(os.path.join(os.environ["GOLDEN_OUT"], name + (".refused" if problem else ".txt")), "wb") as f:
        f.write(printed)
    return path, problem


def ask_elsewhere(paths):
    from concurrent.futures import ThreadPoolExecutor
    os.makedirs(os.environ["GOLDEN_OUT"], exist_ok=True)
    with ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        refused = [path for path, problem in pool.map(write_elsewhere, paths) if problem]
    print(f"{len(paths)} programs on {os.environ['GOLDEN_DEVICE']}, PyTorch {torch.__version__}, {len(refused)} refused")


def main(arguments):
    if "GOLDEN_DEVICE" in os.environ:
        return ask_elsewhere(arguments)
    if len(arguments) == 1 and arguments[0].endswith(".lua"):
        printed, problem = answer(arguments[0])
        sys.stdout.buffer.write(printed)
        sys.exit(problem and "\nrefused: " + problem)
    topics = arguments or sorted(d for d in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, d)))
    paths = [os.path.join(HERE, t, f) for t in topics for f in sorted(os.listdir(os.path.join(HERE, t))) if f.endswith(".lua")]
    from concurrent.futures import ThreadPoolExecutor
    refused = 0
    with ThreadPoolExecutor(2) as pool:
        for path, problem in pool.map(write, paths):
            if problem:
                refused += 1
                print("refused", os.path.relpath(path, HERE), problem, sep="\n  ")
    print(f"{len(paths)} programs, {refused} refused")
    if not arguments and not refused:
        with open(os.path.join(HERE, "VERSION"), "w") as f:
            f.write(f"PyTorch {torch.__version__}\n")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
