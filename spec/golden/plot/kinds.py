"""Asks matplotlib for the results of calls of every kind: limits of the axes, statistics, counts. Writes kinds.json, which spec/lua/pyplot_spec.lua reads.

python spec/golden/plot/kinds.py      (needs matplotlib and scipy)
"""
import json
import os

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import cbook  # noqa: E402

# The samples that the spec makes, too.
a = np.array([(i * 37 % 101) / 10 for i in range(40)] + [25.0, -20.0])
b = np.array([(i * 53 % 97) ** 2 / 1000 for i in range(50)])
grid = np.array([[np.sin(i / 3) * np.cos(j / 4) for j in range(12)] for i in range(9)])

limits = {}


def asks(name, call):
    figure, axes = plt.subplots()
    call(axes)
    limits[name] = [float(v) for v in axes.get_xlim() + axes.get_ylim()]
    plt.close(figure)


asks("step", lambda ax: ax.step([0, 1, 2], [1, 3, 2], where="mid"))
asks("stem", lambda ax: ax.stem([1, 2, 4], [3, -1, 2]))
asks("vlines", lambda ax: ax.vlines([1, 2], [0, 1], 5))
asks("hlines", lambda ax: ax.hlines([1, 2], -3, [0, 1]))
asks("pie", lambda ax: ax.pie([1, 2, 3]))
asks("boxplot", lambda ax: ax.boxplot([a, b]))
asks("boxplot_level", lambda ax: ax.boxplot([a, b], orientation="horizontal"))
asks("violinplot", lambda ax: ax.violinplot([a, b]))
asks("hist2d", lambda ax: ax.hist2d(a[:40], b[:40], bins=[4, 3]))
asks("pcolormesh", lambda ax: ax.pcolormesh(grid))
asks("pcolormesh_middles", lambda ax: ax.pcolormesh(np.arange(12) * 2.0, np.arange(9) - 3.0, grid))
asks("quiver", lambda ax: ax.quiver([0, 1], [0, 2], [1, 1], [0, 1]))
asks("loglog", lambda ax: ax.loglog([1, 10, 1000], [2, 20, 500]))
boxes = [{"q1": s["q1"], "med": s["med"], "q3": s["q3"], "whislo": s["whislo"], "whishi": s["whishi"], "fliers": sorted(s["fliers"]), "mean": s["mean"]}
         for s in cbook.boxplot_stats([a, b])]


def density(sample, places):
    from scipy.stats import gaussian_kde
    return gaussian_kde(sample)(places)


violins = [[float(v) for v in s["vals"]] for s in cbook.violin_stats([a, b], density, points=20)]
counts = np.histogram2d(a[:40], b[:40], bins=[4, 3])[0].tolist()
stacked = {}
for name, words in {"counts": {}, "density": {"density": True}, "cumulative": {"cumulative": True, "density": True}}.items():
    stacked[name] = np.asarray(plt.hist([a, b], bins=6, stacked=True, **words)[0]).tolist()
    plt.close()
bars = []
for levels in (7, 12, 25):
    bar = plt.colorbar(plt.contourf(grid, levels=levels))
    plt.gcf().canvas.draw()
    bars.append([t.get_text() for t in bar.ax.get_yticklabels()])
    plt.close()
path = os.path.join(os.path.dirname(__file__), "kinds.json")
with open(path, "w") as f:
    json.dump({"limits": limits, "boxes": boxes, "violins": violins, "counts": counts, "stacked": stacked, "bars": bars}, f, indent=1, default=float)
    f.write("\n")
