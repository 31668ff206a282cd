-- torch.plot as matplotlib's pyplot: files have the right form and size, what is drawn is where it belongs, mistakes are named.
local torch = require "torch"
local plt = require "torch.pyplot"

local function saved(name, words)
  local path = os.tmpname() .. name
  plt.savefig(path, words)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  os.remove(path)
  return bytes
end

local function pixels_of(bytes, mode)
  return require("torchvision.io").decode_png(torch.frombuffer(bytes, {dtype = torch.uint8}), mode)
end

local function message(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  return (tostring(problem):match "^[^\n]*"), problem.hint
end

local function occurrences(text, pattern) return select(2, text:gsub(pattern, "")) end

describe("torch.pyplot", function()
  after_each(function() plt.close "all" end)

  it("is torch.plot", function() assert.are.equal(torch.plot, plt) end)

  it("writes PNG of the figure's size", function()
    plt.figure{figsize = {3, 2}, dpi = 100}
    plt.plot({0, 1, 2}, {0, 1, 4}, "r--o", {label = "squares"})
    plt.legend()
    local picture = pixels_of(saved ".png")
    assert.are.same({3, 200, 300}, {picture.shape[0], picture.shape[1], picture.shape[2]})
    local red = picture[0]:eq(255):logical_and(picture[1]:eq(0)):logical_and(picture[2]:eq(0)):sum():item()
    assert.is_true(red > 100)
    assert.are.equal(255, picture[{1, 0, 0}]:item())
  end)

  it("writes what is transparent with an alpha channel", function()
    plt.figure{figsize = {3, 2}, dpi = 100}
    plt.axvspan(0, 1, {color = "red", alpha = 0.5})
    local picture = pixels_of(saved(".png", {transparent = true}), "RGB_ALPHA")
    assert.are.same({4, 200, 300}, {picture.shape[0], picture.shape[1], picture.shape[2]})
    assert.are.same({255, 0, 0}, picture[":3, 100, 150"]:tolist())
    assert.is_near(127.5, picture[{3, 100, 150}]:item(), 0.6)
    assert.are.equal(255, pixels_of(saved ".png", "RGB_ALPHA")[3]:min():item())
    assert.is_nil(saved(".svg", {transparent = true}):find('fill="#ffffff"', 1, true))
    assert.are.equal(0, picture[{3, 0, 0}]:item())
  end)

  it("cuts the figure to what is drawn, also where that lies outside of it", function()
    plt.figure{figsize = {3, 2}, dpi = 100}
    plt.axis "off"
    plt.text(0.5, 0.5, "x")
    local small = pixels_of(saved(".png", {bbox_inches = "tight"}))
    assert.is_true(small.shape[1] < 200 and small.shape[2] < 300 and small:min():item() < 200)
    plt.text(-2, 0.5, "far to the left")
    local wide = pixels_of(saved(".png", {bbox_inches = "tight"}))
    assert.is_true(wide.shape[2] > 500)
    assert.is_true(wide[":, :, :200"]:min():item() < 100)
    local more = pixels_of(saved(".png", {bbox_inches = "tight", pad_inches = 1.1}))
    assert.are.same({200, 200}, {more.shape[1] - wide.shape[1], more.shape[2] - wide.shape[2]})
    assert.is_truthy(saved(".svg", {bbox_inches = "tight"}):find('viewBox="-', 1, true))
    assert.is_truthy(saved(".pdf", {bbox_inches = "tight"}):find "/MediaBox %[%-%d")
    assert.are.equal("pad_inches must be a number", message(plt.savefig, "x.png", {bbox_inches = "tight", pad_inches = "a"}))
  end)

  it("leaves room for slanted labels and for the text beside the ticks", function()
    local fig = plt.figure()
    local axes = plt.gca()
    plt.bar({"a very long name of a category that goes on and on", "b"}, {1e7, 2e7})
    plt.xticks{rotation = 45, ha = "right"}
    local reach = axes:reach()
    assert.is_true(reach[1] > 60 and reach[2] >= 13)
    fig:tight_layout()
    local extent = torch._part "plot.extent".new()
    fig:draw(extent)
    local box = extent:box(0)
    assert.is_true(box[1] >= 0 and box[2] >= 0 and box[3] <= fig.width and box[4] <= fig.height)
  end)

  it("has ticks of a logarithmic axis in its view only", function()
    plt.loglog(torch.logspace(-3, 6, 50), torch.logspace(-3, 6, 50) ^ 1.5)
    for _, axis in ipairs{"x", "y"} do
      local low, high = plt.gca():limits(axis)
      for _, at in ipairs(plt.gca()["get_" .. axis .. "ticks"](plt.gca())) do assert.is_true(at >= low and at <= high, axis .. " " .. at) end
    end
  end)

  it("writes SVG with strokes, texts and clipping", function()
    plt.plot({1, 2, 3}, {color = "C1"})
    plt.title "A title & more"
    plt.xlabel "$x^{2}$"
    local svg = saved ".svg"
    assert.is_truthy(svg:find('<svg xmlns="http://www.w3.org/2000/svg" width="460.8pt" height="345.6pt" viewBox="0 0 460.8 345.6">', 1, true))
    assert.is_truthy(svg:find('aria-label="A title &amp; more"', 1, true))
    assert.is_truthy(svg:find('aria-label="x^2"', 1, true))
    assert.are.equal(1, occurrences(svg, 'stroke="#ff7f0e"'))
    assert.are.equal(1, occurrences(svg, "<clipPath"))
    assert.are.equal(occurrences(svg, "<g "), occurrences(svg, "</g>"))
    assert.is_truthy(svg:find "</svg>\n$")
  end)

  it("writes PDF whose objects lie where it says", function()
    plt.plot({1, 2, 3}, {color = "C1", alpha = 0.5})
    plt.imshow(torch.tensor{{0.0, 0 / 0}, {1.0, 2.0}}, {aspect = "auto"})
    local pdf = saved ".pdf"
    assert.are.equal("%PDF-1.4", pdf:sub(1, 8))
    local at = tonumber(pdf:match "startxref\n(%d+)\n%%%%EOF\n$")
    local count = tonumber(pdf:match("^xref\n0 (%d+)\n", at + 1))
    local number = 0
    for offset in pdf:sub(at + 1):gmatch "(%d+) 00000 n" do
      number = number + 1
      assert.are.equal(number .. " 0 obj", pdf:match("^%d+ 0 obj", tonumber(offset) + 1))
    end
    assert.are.equal(count, number + 1)
    for length, at_stream in pdf:gmatch "/Length (%d+) >>\nstream\n()" do
      assert.are.equal("\nendstream", pdf:sub(at_stream + tonumber(length), at_stream + tonumber(length) + 9))
    end
    assert.is_truthy(pdf:find("/ca 1 /CA 0.5", 1, true) and pdf:find("/SMask", 1, true))
    assert.is_truthy(pdf:find("/MediaBox [0 0 460.8 345.6]", 1, true))
  end)

  -- The colours that sixels show, each in percent of 255, row by row.
  local function decoded(text)
    local width, height = text:match '^\27P0;1;0q"1;1;(%d+);(%d+)'
    local palette, rows, x, top, color = {}, {}, 0, 0, nil
    local at = text:find "#"
    while text:sub(at, at) ~= "\27" do
      local number, r, g, b, behind = text:match("^#(%d+);2;(%d+);(%d+);(%d+)()", at)
      local chosen, after = text:match("^#(%d+)()", at)
      local count, letter, stop = text:match("^!?(%d*)([?-~])()", at)
      if number then
        palette[number], at = {tonumber(r), tonumber(g), tonumber(b)}, behind
      elseif chosen then
        color, at = palette[chosen], after
      elseif letter then
        for _ = 1, tonumber(count) or 1 do
          for bit = 0, 5 do
            if letter:byte() - 63 >> bit & 1 == 1 then
              rows[top + bit + 1] = rows[top + bit + 1] or {}
              rows[top + bit + 1][x + 1] = color
            end
          end
          x = x + 1
        end
        at = stop
      else
        if text:sub(at, at) == "-" then top = top + 6 end
        x, at = 0, at + 1
      end
    end
    return rows, tonumber(width), tonumber(height)
  end

  it("writes sixels that show the picture", function()
    local sixel = torch._part "plot.sixel"
    local pixels, colors = {}, {0xffffff, 0xffffff, 0xffffff, 0xffffff, 0xffffff, 0x000000, 0xff0000, 0x3366cc}
    for i = 1, 20 * 13 do pixels[i] = colors[(i * 7 + i // 20) % #colors + 1] end
    local rows, width, height = decoded(sixel(pixels, 20, 13))
    assert.are.same({20, 13, 13}, {width, height, #rows})
    for i, rgb in ipairs(pixels) do
      local found = rows[(i - 1) // 20 + 1][(i - 1) % 20 + 1]
      assert.are.same({(rgb >> 16) * 100 // 255, (rgb >> 8 & 255) * 100 // 255, (rgb & 255) * 100 // 255}, found)
    end
    for i = 1, 64 * 64 do pixels[i] = (i * 2654435761) & 0xffffff end -- too many colours
    rows = decoded(sixel(pixels, 64, 64))
    for i = 1, 64 * 64, 37 do
      local red = rows[(i - 1) // 64 + 1][(i - 1) % 64 + 1][1]
      assert.is_true(math.abs(red - (pixels[i] >> 16) / 2.55) < 30)
    end
  end)

  it("draws an image's pixels sharp, the first row above", function()
    local figure = plt.figure{figsize = {2, 2}}
    local axes = figure:add_axes{0, 0, 1, 1}
    axes:axis "off"
    axes:imshow(torch.tensor{{0.0, 1.0}, {1.0, 0.0}}, {cmap = "gray"})
    local picture = pixels_of(saved ".png")
    assert.are.equal(0, picture[{":", ":100", ":100"}]:max():item())
    assert.are.equal(255, picture[{":", ":100", "100:"}]:min():item())
    assert.are.equal(0, picture[{":", "100:", "100:"}]:max():item())
    axes:imshow(torch.tensor{{{255, 0}}, {{0, 255}}, {{0, 0}}}:to(torch.uint8)) -- (C, H, W): a red and a green one
    assert.are.same({255, 0, 0}, pixels_of(saved ".png")[{":", 50, 20}]:tolist())
  end)

  it("covers what it should: the areas of shapes", function()
    local raster = torch._part("plot.raster").new(72, 72, 1)
    raster:draw{paths = {{10.25, 10.5, 40.25, 10.5, 40.25, 30, 10.25, 30, closed = true}}, fill = 0}
    raster:draw{paths = {{50, 50, 60, 60, 40, 60, closed = true}}, fill = 0} -- a triangle of 100
    raster:draw{paths = {{10.5, 40, 10.5, 60}}, stroke = 0, width = 3, cap = "butt"}
    local dark = 0
    for _, rgb in ipairs(raster.pixels) do dark = dark + (255 - (rgb & 255)) / 255 end
    assert.is_true(math.abs(dark - (30 * 19.5 + 100 + 60)) < 1.5, dark)
  end)

  it("counts a histogram as numpy does", function()
    local counts, edges = plt.hist(torch.tensor{0.0, 0.1, 0.5, 0.9, 1.0, 1.0}, {bins = 2})
    assert.are.same({{2, 4}, {0, 0.5, 1}}, {counts, edges})
    assert.are.same({{4, 8}}, {(plt.hist({0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, 2))})
    local on_edges = {} -- values where two bins meet
    for i = 0, 499 do on_edges[i + 1] = i * 7919 % 1000 / 500 + i * 104729 % 1000 / 500 - 2 end
    assert.are.same({1, 5, 9, 14, 20, 26, 28, 35, 38, 45, 47, 44, 42, 35, 32, 23, 20, 17, 12, 7}, (plt.hist(on_edges, 20)))
    assert.is_truthy(message(plt.hist, {1, 2}, {bins = 0}):find("must be positive", 1, true))
  end)

  it("lets the arrow of a note begin at the side that faces what it points to", function()
    plt.close "all"
    plt.figure{figsize = {4, 3}}
    plt.xlim(0, 10)
    plt.ylim(0, 10)
    plt.annotate("a wide text", {xy = {9, 1}, xytext = {1, 8}, arrowprops = {arrowstyle = "-"}})
    local name = os.tmpname() .. ".svg"
    plt.savefig(name)
    local file = assert(io.open(name))
    local svg = file:read "a"
    file:close()
    os.remove(name)
    local found = 0
    for x0, y0, x1, y1 in svg:gmatch 'd="M([%d.]+) ([%d.]+)L([%d.]+) ([%d.]+)"' do
      local slope = (y1 - y0) / (x1 - x0)
      if x1 - x0 > 50 and y1 - y0 > 50 then
        found = found + 1
        assert.is_true(slope > 0.5 and slope < 1.2, slope)
      end
    end
    assert.are.equal(1, found)
  end)

  it("takes matplotlib's limits", function()
    plt.plot({0, 10}, {0, 1})
    assert.are.same({-0.5, 10.5}, {plt.xlim()})
    plt.close()
    plt.bar({"a", "b"}, {1, 2})
    assert.are.same({0, 2.1}, {plt.ylim()})
    plt.close()
    plt.imshow(torch.zeros(4, 6))
    assert.are.same({-0.5, 5.5, 3.5, -0.5}, {plt.axis()})
    plt.xlim(1, 2)
    assert.are.same({1, 2}, {plt.xlim()})
  end)

  it("makes grids of axes", function()
    local figure, axes = plt.subplots(2, 3, {figsize = {6, 4}, sharex = true})
    assert.are.equal(6, #figure.axes)
    assert.are.equal(6, #axes:flatten())
    assert.are.equal(axes[2][3], axes:flatten()[6])
    axes[1][1]:plot({0, 5}, {0, 1})
    assert.are.same({axes[1][1]:get_xlim()}, {axes[2][2]:get_xlim()})
    local _, row = plt.subplots(1, 2)
    row[2]:set_title "second"
    assert.are.equal("second", row[2]:get_title())
    plt.tight_layout()
    assert.are.equal(row[2], plt.subplot(1, 2, 2))
  end)

  -- The area within closed paths, those of holes counted off.
  local function area_of(paths)
    local twice = 0
    for _, path in ipairs(paths) do
      local n = #path
      for i = 1, n, 2 do
        local j = (i + 1) % n + 1
        twice = twice + path[i] * path[j + 1] - path[j] * path[i + 1]
      end
    end
    return twice / 2
  end

  it("finds a level in a grid", function()
    local contour = torch._part "plot.contour"
    local x, z = {0, 1, 2}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}
    assert.are.same({{0.5, 2, 0.5, 1, 0.5, 0}}, contour.lines(x, x, z, 0.5))
    assert.is_true(math.abs(area_of(contour.areas(x, x, z, 0.5, 1.5)) - 2) < 1e-9)
  end)

  it("finds areas in noise with holes: all together they are the grid", function()
    local contour = torch._part "plot.contour"
    torch.manual_seed(5)
    local z, x, cells = torch.rand(20, 30):tolist(), {}, 19 * 29
    for i = 1, 30 do x[i] = i - 1 end
    z[4][7], z[5][8], z[1][1] = 0 / 0, math.huge, 0 / 0
    cells = cells - 4 - 3 - 1
    local sum = 0
    for k = 0, 9 do
      local area = area_of(contour.areas(x, table.move(x, 1, 20, 1, {}), z, k / 10, (k + 1) / 10))
      assert.is_true(area > 1)
      sum = sum + area
    end
    assert.is_true(math.abs(sum - cells) < 1e-9)
  end)

  describe("beside matplotlib (spec/golden/plot/kinds.py)", function()
    local file <close> = assert(io.open "spec/golden/plot/kinds.json")
    local expected = assert(torch._part "tools.json".read(file:read "a"))
    local a, b, grid = {}, {}, {}
    for i = 0, 39 do a[i + 1] = (i * 37 % 101) / 10 end
    for i = 0, 49 do b[i + 1] = (i * 53 % 97) ^ 2 / 1000 end
    for i = 0, 8 do
      grid[i + 1] = {}
      for j = 0, 11 do grid[i + 1][j + 1] = math.sin(i / 3) * math.cos(j / 4) end
    end
    local few_a, few_b = table.move(a, 1, 40, 1, {}), table.move(b, 1, 40, 1, {})
    a[41], a[42] = 25.0, -20.0
    local calls = {
      step = function(ax) ax:step({0, 1, 2}, {1, 3, 2}, {where = "mid"}) end,
      stem = function(ax) ax:stem({1, 2, 4}, {3, -1, 2}) end,
      vlines = function(ax) ax:vlines({1, 2}, {0, 1}, 5) end,
      hlines = function(ax) ax:hlines({1, 2}, -3, {0, 1}) end,
      pie = function(ax) ax:pie({1, 2, 3}) end,
      boxplot = function(ax) ax:boxplot({a, b}) end,
      boxplot_level = function(ax) ax:boxplot({a, b}, {orientation = "horizontal"}) end,
      violinplot = function(ax) ax:violinplot({a, b}) end,
      hist2d = function(ax) ax:hist2d(few_a, few_b, {bins = {4, 3}}) end,
      pcolormesh = function(ax) ax:pcolormesh(grid) end,
      pcolormesh_middles = function(ax) ax:pcolormesh(torch.arange(12) * 2, torch.arange(9) - 3, grid) end,
      quiver = function(ax) ax:quiver({0, 1}, {0, 2}, {1, 1}, {0, 1}) end,
      loglog = function(ax) ax:loglog({1, 10, 1000}, {2, 20, 500}) end,
    }

    local function near(x, y) assert.is_true(math.abs(x - y) <= 1e-6 * math.max(1, math.abs(y)), ("%g, not %g"):format(x, y)) end

    for name, limits in pairs(expected.limits) do
      it("has the limits of " .. name, function()
        local _, axes = plt.subplots()
        calls[name](axes)
        local x0, x1 = axes:get_xlim()
        local y0, y1 = axes:get_ylim()
        for i, value in ipairs{x0, x1, y0, y1} do near(value, limits[i]) end
        assert.is_true(#saved ".png" > 1000 and #saved ".svg" > 1000)
      end)
    end

    it("has the quartiles, whiskers and fliers of boxplot", function()
      for i, sample in ipairs{a, b} do
        local _, axes = plt.subplots()
        axes:boxplot({sample}, {showmeans = true})
        local box, low, _, high, _, median, mean, fliers = table.unpack(axes.artists)
        local s = expected.boxes[i]
        for k, value in ipairs{s.q1, s.q3} do near(box.y[k + 1], value) end
        near(low.y[2], s.whislo)
        near(high.y[2], s.whishi)
        near(median.y[1], s.med)
        near(mean.y[1], s.mean)
        if #s.fliers > 0 then assert.are.same(s.fliers, fliers.y) end
      end
    end)

    it("has the outlines of violinplot", function()
      for i, sample in ipairs{a, b} do
        local _, axes = plt.subplots()
        axes:violinplot({sample}, {points = 20, widths = 2})
        local most = math.max(table.unpack(expected.violins[i]))
        for k, value in ipairs(expected.violins[i]) do near(1 - axes.artists[1].corners[2 * k - 1], value / most) end
      end
    end)

    it("has the sums of stacked histograms", function()
      for name, words in pairs {counts = {}, density = {density = true}, cumulative = {cumulative = true, density = true}} do
        words.bins, words.stacked = 6, true
        local sums, edges, bars = plt.hist({a, b}, words)
        for k = 1, 2 do
          for i = 1, 6 do assert.near(expected.stacked[name][k][i], sums[k][i], 1e-12) end
        end
        assert.near(sums[1][1], bars.base[1], 1e-12)
        assert.near(edges[2], bars.to[1], 1e-12)
        plt.close()
      end
    end)

    it("has the ticks of colour bars of filled contours", function()
      for i, levels in ipairs {7, 12, 25} do
        local bar = plt.colorbar(plt.contourf(grid, {levels = levels}))
        assert.are.same(expected.bars[i], bar.y.labels)
        plt.close()
      end
    end)

    it("draws error bars behind their line, and every so many markers", function()
      local line = plt.errorbar({0, 1, 2}, {1, 2, 3}, {yerr = 0.1, fmt = "o-"})
      assert.is_true(line.zorder > line.errors.zorder)
      plt.close()
      local sizes = {}
      for i, every in ipairs {1, 10} do
        plt.plot(torch.arange(100), {marker = "o", markevery = every})
        local name = os.tmpname()
        plt.savefig(name, {format = "svg"})
        plt.close()
        sizes[i] = #require "programs".read(name)
        os.remove(name)
      end
      assert.is_true(sizes[2] < sizes[1] / 2)
    end)

    it("has the counts of hist2d", function()
      assert.are.same(expected.counts, plt.hist2d(few_a, few_b, {bins = {4, 3}}):tolist())
    end)
  end)

  it("writes levels on contour lines, which make room", function()
    local x = torch.linspace(-2, 2, 30)
    local X, Y = table.unpack(torch.meshgrid{x, x, indexing = "xy"})
    local contours = plt.contour(X, Y, X * X + Y * Y, {levels = {1, 2}, colors = "k"})
    local before = occurrences(saved ".svg", "M")
    plt.clabel(contours, {fmt = "%.1f"})
    local svg = saved ".svg"
    assert.is_truthy(svg:find('aria-label="1.0"', 1, true) and svg:find('aria-label="2.0"', 1, true))
    assert.is_true(occurrences(svg, "M") > before)
    assert.is_truthy(message(plt.clabel, plt.contourf(X, Y, X)):find "contour")
  end)

  it("names mistakes", function()
    assert.are.equal("Wedge sizes 'x' must be non negative values", message(plt.pie, {1, -1}))
    assert.are.equal("'labels' must be of length 'x', not 1", message(plt.pie, {1, 2}, {labels = {"a"}}))
    assert.are.equal("'up' is not a valid value for where; supported values are 'pre', 'post', 'mid'", message(plt.step, {1}, {1}, {where = "up"}))
    assert.are.equal("x and y must have the same length.", message(plt.hist2d, {1, 2}, {1}))
    assert.are.equal("Dimensions of C (3) are incompatible with X (7)", message(plt.pcolormesh, torch.arange(7), torch.arange(2), torch.zeros(2, 3)))
    assert.are.same({"Axes.plot() got an unexpected keyword argument 'colour'", "did you mean 'color'?"}, {message(plt.plot, {1, 2}, {colour = "r"})})
    assert.are.equal("'nocolor' is not a valid value for color", message(plt.plot, {1, 2}, {color = "nocolor"}))
    assert.are.equal("x and y must have same first dimension, but have shapes (2,) and (3,)", message(plt.plot, {1, 2}, {1, 2, 3}))
    assert.are.equal("'rq' is not a valid format string (unrecognized character 'q')", message(plt.plot, {1, 2}, "rq"))
    assert.are.same({"'virids' is not a valid value for cmap", "did you mean 'viridis'?"}, {message(plt.imshow, torch.zeros(2, 2), {cmap = "virids"})})
    assert.are.equal("Invalid shape (2, 3, 5) for image data", message(plt.imshow, torch.zeros(2, 3, 5)))
    assert.are.equal("Format 'bmp' is not supported (supported formats: pdf, png, svg)", message(plt.savefig, "x.bmp"))
    assert.are.equal("Axes.scatter() missing 1 required positional argument: 'y'", message(plt.scatter, {1, 2}))
    assert.are.equal("linewidth must be real number, not str", message(plt.plot, {1, 2}, {linewidth = "thick"}))
    assert.are.equal("Unrecognized marker style '?'", message(plt.scatter, {1}, {1}, {marker = "?"}))
  end)

  it("draws numbers that are not finite as gaps", function()
    plt.plot({1, 0 / 0, 2, math.huge, 3})
    plt.scatter({1, 0 / 0}, {1, 2})
    plt.bar({1, 2}, {0 / 0, 1})
    plt.imshow(torch.tensor{{0.0, 0 / 0}, {1.0, math.huge}})
    assert.is_true(#saved ".png" > 1000 and #saved ".svg" > 1000)
  end)

  it("draws every glyph and every marker", function()
    for character in torch._part("plot.glyphs"):gmatch "(%S+) %d+ [^\n]+" do
      local width = torch._part("plot.font").measure(character, 10)
      assert.is_true(width > 2 and width <= 10, character)
    end
    for marker in ("o . , s D d ^ v < > p h H 8 * P X x + | _ 1"):gmatch "%S+" do plt.plot({1, 2}, {marker = marker}) end
    assert.is_true(#saved ".png" > 1000)
  end)

  it("names its colormaps, each turned round with _r", function()
    for _, name in ipairs(plt.colormaps()) do
      assert.are.equal(plt.get_cmap(name):at(0), plt.get_cmap(name .. "_r"):at(1), name)
    end
    assert.are.equal(0x440154, plt.cm.viridis:at(0))
  end)
end)

describe("torch.plot's helpers", function()
  after_each(function() plt.close "all" end)

  it("draw what a course needs", function()
    torch.manual_seed(0)
    local X, y = torch.randn(20, 2), torch.arange(20) % 2
    plt.plot_decision_boundary(torch.nn.Linear(2, 3), X, y, {steps = 11})
    plt.plot_decision_boundary(torch.nn.Linear(2, 1), X, y, {steps = 11})
    plt.plot_predictions({1, 2}, {1, 2}, {3}, {3}, {2.5})
    plt.plot_confusion_matrix(torch.eye(3), {class_names = {"a", "b", "c"}, show_normed = true})
    plt.plot_loss_curves{train_loss = {1, 2}, test_loss = {2, 1}, train_acc = {0, 1}, test_acc = {1, 0}}
    plt.plot_images(torch.rand(3, 1, 4, 4), {"a", "b", "c"})
    assert.is_true(#plt.get_fignums() >= 4)
    assert.is_true(#saved ".svg" > 1000)
  end)

  -- luacheck: push ignore 122
  it("show figures on a terminal in as many lines as fit, elsewhere a file's name", function()
    local write, terminal, parts = io.write, torch._terminal, {}
    io.write = function(...) for _, text in ipairs{...} do parts[#parts + 1] = text end end
    torch._terminal = function() return 64 end
    plt.plot{1, 2, 3}
    plt.title "shown"
    local ok, problem = pcall(plt.show)
    torch._terminal = function() return nil end
    plt.plot{1, 2}
    local path = os.tmpname() .. ".svg"
    plt.savefig(path)
    local count = #parts
    local ok_file, problem_file = pcall(plt.show)
    io.write, torch._terminal = write, terminal
    os.remove(path)
    assert(ok, problem)
    assert(ok_file, problem_file)
    assert.are.equal(path, parts[count + 1])
    local text = table.concat(parts, "", 1, count)
    assert.are.equal(24, occurrences(text, "\n"))
    assert.is_truthy(text:gsub("\27%[[%d;]*m", ""):find("shown", 1, true))
    assert.are.same({}, plt.get_fignums())
  end)
  -- luacheck: pop

  it("show figures as pictures where the terminal answers that it takes them", function()
    local write, getenv, terminal, ask = io.write, os.getenv, torch._terminal, torch._ask_terminal
    torch._terminal = function() return 80 end
    rawset(os, "getenv", function(name) return name == "TERM" and "xterm-256color" or nil end)
    local asked, said = 0, {}
    local function shown(answer)
      local parts, fresh = {}, assert(loadfile "lua/parts/plot/terminal.lua")(torch)
      torch._ask_terminal = function()
        asked = asked + 1
        return answer
      end
      rawset(io, "write", function(...) for _, text in ipairs{...} do parts[#parts + 1] = text end end)
      for _ = 1, 2 do
        plt.plot{1, 2}
        fresh.show(plt.gcf())
        plt.close "all"
      end
      rawset(io, "write", write)
      return table.concat(parts)
    end
    local ok, problem = pcall(function()
      for name, answer in pairs{kitty = "\27_Gi=31;OK\27\\\27[?62;4;22c", sixel = "\27[?62;4;22c", old = "\27_Gi=31;ENOTSUP\27\\\27[?64;22c", silent = false} do
        said[name] = shown(answer or nil)
      end
    end)
    rawset(os, "getenv", getenv)
    rawset(io, "write", write)
    torch._terminal, torch._ask_terminal = terminal, ask
    assert(ok, problem)
    assert.are.equal(4, asked)
    assert.are.equal("\27_G", said.kitty:sub(1, 3))
    assert.are.equal("\27P", said.sixel:sub(1, 2))
    for _, name in ipairs{"old", "silent"} do assert.is_nil(said[name]:find "\27[_P]") end
  end)

  it("keep a live curve's points", function()
    for i = 1, 3 do plt.live{loss = torch.tensor(1.0 / i), lr = 0.1} end
    local curves = plt.live()
    assert.are.equal(3, #curves.loss)
    assert.are.equal(0.5, curves.loss[2])
  end)
end)

describe("examples/pictures/course.lua", function()
  it("writes its pictures", function()
    local programs = require "programs"
    local folder = os.tmpname()
    os.remove(folder)
    assert.is_true(os.execute("mkdir " .. programs.quote(folder)))
    local pipe = io.popen(("%s examples/pictures/course.lua %s"):format(programs.tocha, programs.quote(folder)))
    local names = pipe:read "a"
    assert.is_true(pipe:close())
    local count = 0
    for name in names:gmatch "%S+" do
      local bytes = programs.read(folder .. "/" .. name)
      assert.is_truthy(bytes:find(name:find "png$" and "^\x89PNG" or "</svg>\n$"), name)
      count = count + 1
    end
    os.execute("rm -r " .. programs.quote(folder))
    assert.are.equal(14, count)
  end)
end)
