"""Types the examples of the help texts (lua/help/examples/) in PyTorch, too, and prints the answers that differ.

    python spec/golden/help.py [FILE...]      the files of lua/help/examples/ (without their ending); all, if none is named

What PyTorch cannot run (a name that only Tocha has, a block given as a function) is left out.  Needs build/tocha and what ask.py needs."""
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOCHA = os.path.join(ROOT, os.environ.get("TOCHA", "build/tocha"))

# A program that prints "?name" and the value of each expression of its example, or ERR.
PROGRAM = r"""
local examples = torch._part "help.example"
local text = torch._part("help.examples." .. arg[1])
print "torch = require 'torch'"
for names, block in ("\n" .. text .. "\1"):gsub("\n%?torch", "\n\1torch"):gmatch "\1(torch[^\n]*)\n([^\1]*)%f[\1]" do
  print(("print(%q) do local ok = pcall(function()"):format("?" .. names))
  for _, entry in ipairs(examples.entries(block)) do
    local code, silent = entry.typed:gsub(";$", "")
    if not load("return " .. code) then print(code)
    elseif silent == 1 then print("local _ = " .. code)
    else print(("print(%s)"):format(code)) end
  end
  print "end) if not ok then print 'ERR' end end"
end
"""


def answers(command, folder):
    """Returns the output of a program, by the names of its examples."""
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL)
    blocks = {}
    name = None
    for line in run.stdout.split("\n"):
        if line.startswith("?torch"):
            name = line
            blocks[name] = []
        elif name and line not in ("nil", "") and not line.startswith("refused"):
            blocks[name].append(line)
    return blocks


def compare(file, folder):
    program = os.path.join(folder, file + ".lua")
    maker = os.path.join(folder, "make.lua")
    with open(maker, "w") as f:
        f.write(PROGRAM)
    with open(program, "w") as f:
        f.write(subprocess.run([TOCHA, maker, file], capture_output=True, text=True, check=True).stdout)
    ours = answers([TOCHA, program], folder)
    theirs = answers([sys.executable, os.path.join(HERE, "ask.py"), program], folder)
    asked = differing = 0
    for name, said in theirs.items():
        if "ERR" in said or any("table: 0x" in line or " object at 0x" in line for line in said + ours[name]):
            continue
        asked += 1
        if said != ours[name]:
            differing += 1
            print(name, "\n  Tocha:\n    ", "\n    ".join(ours[name]), "\n  PyTorch:\n    ", "\n    ".join(said), sep="")
    print("%s: %d of %d examples asked, %d differ" % (file, asked, len(ours), differing))


if __name__ == "__main__":
    files = sys.argv[1:] or sorted(os.path.basename(p)[:-4] for p in glob.glob(os.path.join(ROOT, "lua/help/examples/*.lua")))
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            compare(file, folder)
