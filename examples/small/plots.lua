-- Plots: matplotlib's names and defaults. A page or a notebook shows the figure at the end; in a script, call plot.show().
local torch = require "torch"
local plot = torch.plot

torch.manual_seed(0)
local figure, axes = plot.subplots(2, 2, {figsize = {9, 7}})

local t = torch.linspace(0, 10, 200)
axes[1][1]:plot(t, t:sin(), {label = "sin"})
axes[1][1]:plot(t, (-0.2 * t):exp() * (3 * t):cos(), {linestyle = "--", label = "damped"})
axes[1][1]:legend()
axes[1][1]:set_title "lines"

local samples = torch.randn(1000)
axes[1][2]:hist(samples, {bins = 30, color = "tab:green"})
axes[1][2]:set_title(torch.format("1,000 samples, mean %.3f", samples:mean()))
print(torch.format("mean %.4f, deviation %.4f", samples:mean(), samples:std()))

local n = 150
local x, y = torch.rand(n), torch.rand(n)
local shown = axes[2][1]:scatter(x, y, {c = (x - 0.5) ^ 2 + (y - 0.5) ^ 2, s = 200 * torch.rand(n), alpha = 0.7})
figure:colorbar(shown, {ax = axes[2][1]})
axes[2][1]:set_title "points"

local X, Y = table.unpack(torch.meshgrid(torch.linspace(-3, 3, 100), torch.linspace(-3, 3, 100), {indexing = "xy"}))
axes[2][2]:contourf(X, Y, (-(X ^ 2 + Y ^ 2) / 4):exp() * (2 * X):sin(), {levels = 14, cmap = "coolwarm"})
axes[2][2]:set_title "levels"
figure:tight_layout();
