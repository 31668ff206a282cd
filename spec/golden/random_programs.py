"""Random programs with what PyTorch answers, statement by statement.

    python spec/golden/random_programs.py GENERATOR [--programs 500] [--seed 4000]

GENERATOR is the folder of the random programs' generator (generate.py, bridge.py, signatures.py). Writes random_programs.txt beside
this file: "%% SEED" begins a program, "% N" a statement, whose source follows, then the lines of the answer, each behind "= ".
spec/sound/replay.lua runs them on Tocha and compares."""
import argparse
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def record(out, generate, bridge, operators, seed):
    program = bridge.Program()
    generator = generate.Generator(seed, operators, program)
    try:
        generator.make(random.Random(seed).randint(8, 20))
    finally:
        program.close()
    out.write("%%%% %d\n" % seed)
    for number, _, source in generator.statements:
        answer = generator.said[number].rstrip("\n").split("\n")[1:]
        out.write("%% %d\n%s\n%s" % (number, source, "".join("= %s\n" % line for line in answer)))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("generator")
    arguments.add_argument("--programs", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=4000)
    options = arguments.parse_args()
    import torch
    torch.set_num_threads(1)
    sys.path.insert(0, options.generator)
    import bridge
    import generate
    import signatures
    operators = generate.usable(signatures.read(os.path.join(HERE, "../../docs/operators.md")))
    with open(os.path.join(HERE, "random_programs.txt"), "w") as out:
        out.write("PyTorch %s\n" % torch.__version__)
        for seed in range(options.seed, options.seed + options.programs):
            record(out, generate, bridge, operators, seed)


if __name__ == "__main__":
    main()
