"""Random programs with what PyTorch answers, statement by statement.

    python spec/golden/random_programs/ask.py                                  makes the programs of seeds.txt again: programs.txt
    python spec/golden/random_programs/ask.py FILE [--seed N] [--programs N]   makes others, of all of today's operators

A seed always makes the same program of the operators in operators.txt, which are as docs/operators.md had them when the programs
were recorded. "%% SEED" begins a program, "% N" a statement, whose source follows, then the lines of the answer, each behind "= ".
spec/sound/replay.lua runs them on Tocha and compares."""
import argparse
import os
import random
import sys
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
warnings.filterwarnings("ignore")
from random_programs import generator, signatures
from random_programs.program import Program


def record(out, operators, seed):
    program = Program()
    made = generator.Generator(seed, operators, program)
    try:
        made.make(random.Random(seed).randint(8, 20))
    finally:
        program.close()
    out.write(f"%% {seed}\n")
    for number, (_, source, answer) in enumerate(made.statements, 1):
        lines = answer.rstrip("\n").split("\n") if answer else []
        out.write(f"% {number}\n{source}\n" + "".join(f"= {line}\n" for line in lines))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("file", nargs="?")
    arguments.add_argument("--programs", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=10000)
    options = arguments.parse_args()
    torch.set_num_threads(1)
    if options.file:
        path, listed = options.file, os.path.join(HERE, "..", "..", "..", "docs", "operators.md")
        seeds = range(options.seed, options.seed + options.programs)
    else:
        path, listed = os.path.join(HERE, "programs.txt"), os.path.join(HERE, "operators.txt")
        with open(os.path.join(HERE, "seeds.txt")) as f:
            seeds = [int(word) for word in f.read().split()]
    operators = generator.usable(signatures.read(listed))
    with open(path, "w") as out:
        out.write(f"PyTorch {torch.__version__}\n")
        for seed in seeds:
            record(out, operators, seed)
    print(len(seeds), "programs")


if __name__ == "__main__":
    main()
