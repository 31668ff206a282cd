"""Asks PyTorch what the programs of this folder print, each rank in a process of its own.

    python spec/golden/distributed/ask.py             all programs
    python spec/golden/distributed/ask.py groups.lua  prints the answer of one

The first line of a program, "-- ranks: 1 2 3", says with which world sizes it runs; "; digits of AVX-512" behind it, that the
last bits of the answer differ between processors. An answer names world size and rank before what the rank printed."""
import os
import re
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SECONDS = 60


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answer(path, size):
    """Returns what the ranks of one world print."""
    environment = dict(os.environ, WORLD_SIZE=str(size), LOCAL_WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), OMP_NUM_THREADS="1")
    ranks = [subprocess.Popen([sys.executable, os.path.join(HERE, "rank.py"), path], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(environment, RANK=str(rank), LOCAL_RANK=str(rank))) for rank in range(size)]
    text = ""
    try:
        for rank, process in enumerate(ranks):
            printed, errors = process.communicate(timeout=SECONDS)
            if process.returncode:
                raise RuntimeError(f"{path}, rank {rank} of {size}: {errors[-800:]}")
            text += f"== rank {rank} of {size}\n{printed}"
    finally:
        for process in ranks:
            process.kill()
    return text


def ask(path):
    with open(path) as f:
        sizes = re.match(r"-- ranks: ([\d ]+)", f.readline()).group(1).split()
    return "".join(answer(path, int(size)) for size in sizes)


def main(names):
    if names:
        print(ask(os.path.join(HERE, names[0])), end="")
        return
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".lua"):
            text = ask(os.path.join(HERE, name))
            with open(os.path.join(HERE, name[:-4] + ".expected"), "w") as f:
                f.write(text)
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
