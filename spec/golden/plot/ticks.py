# ticks.py: the ticks of matplotlib and their labels, for ranges of all sizes: writes ticks.tsv beside it.
#   python spec/golden/plot/ticks.py      (needs matplotlib)
import os, random, sys
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

random.seed(0)
ranges = [(0, 1), (-1, 1), (0, 10), (0, 100), (-0.05, 1.05), (0.5, 9.5), (-0.5, 27.5), (0, 1797), (1e-8, 5e-8), (0, 3e9), (-1e6, 1e6),
          (1000000, 1000010), (0.99999, 1.00001), (12345.6, 12345.9), (-5e-7, 3e-6), (100, 101), (1e5, 1e6), (0.001, 0.0099), (-273.15, 100),
          (1e20, 3e20), (-12345.9, -12345.6), (99.5, 1000.5), (3, 3.0001)]
for _ in range(300):
    width = 10 ** random.uniform(-6, 7) * random.uniform(1, 10)
    low = random.choice([0, random.uniform(-1, 1) * width, random.uniform(-1, 1) * width * 10, random.uniform(-1, 1) * width * 1000])
    ranges.append((low, low + width))

lines = []
for low, high in ranges:
    for axis, size in (("x", (6.4, 4.8)), ("y", (6.4, 4.8)), ("x", (3, 2)), ("y", (3, 2))):
        figure, ax = plt.subplots(figsize=size)
        (ax.set_xlim if axis == "x" else ax.set_ylim)(low, high)
        a = ax.xaxis if axis == "x" else ax.yaxis
        figure.canvas.draw()
        shown = [t for t in a.get_major_ticks() if low - 1e-10 * (high - low) <= t.get_loc() <= high + 1e-10 * (high - low)]
        lines.append("\t".join([axis, *map(repr, map(float, size)), repr(float(low)), repr(float(high)), " ".join(repr(float(t.get_loc())) for t in shown),
                                " ".join(t.label1.get_text() for t in shown), a.get_offset_text().get_text()]))
        plt.close(figure)
with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "ticks.tsv"), "w", encoding="utf-8") as f:
    f.write("\n".join(lines) + "\n")
