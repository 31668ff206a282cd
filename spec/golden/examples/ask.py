"""Asks real PyTorch what the programs of examples/course, examples/pytorch and examples/small must print.

    python spec/golden/examples/ask.py            runs every program here, writes its .expected
    python spec/golden/examples/ask.py mnist      the same for one

Each program here is the Python twin of the Lua program of that name, line by line; needs torch, torchvision, scikit-learn."""
import os
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from processes import printed_by, script

warnings.filterwarnings("ignore")
names = sys.argv[1:] or sorted(n[:-3] for n in os.listdir(HERE) if n.endswith(".py") and n not in ("ask.py", "common.py", "going_modular.py"))
for name in names:
    answer, ended = printed_by(script(os.path.join(HERE, name + ".py")))
    if not ended:
        sys.exit(f"{name}: {answer[-600:].decode()}")
    with open(os.path.join(HERE, name + ".expected"), "wb") as file:
        file.write(answer)
    print(name, answer.count(b"\n"), "lines", flush=True)
