"""Asks real PyTorch what the programs of examples/course and examples/pytorch must print.

    python spec/golden/examples/ask.py            runs every program here, writes its .expected
    python spec/golden/examples/ask.py mnist      the same for one

Each program here is the Python twin of the Lua program of that name, line by line; needs torch, torchvision, scikit-learn."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
names = sys.argv[1:] or sorted(n[:-3] for n in os.listdir(HERE) if n.endswith(".py") and n not in ("ask.py", "common.py", "going_modular.py"))
for name in names:
    answer = subprocess.run([sys.executable, "-W", "ignore", os.path.join(HERE, name + ".py")], stdout=subprocess.PIPE, text=True, check=True)
    with open(os.path.join(HERE, name + ".expected"), "w") as file:
        file.write(answer.stdout)
    print(name, len(answer.stdout.splitlines()), "lines")
