-- torch.plot: pictures in text, on a terminal and elsewhere.
local torch = require "torch"
local plot = require "torch.plot"

-- What a plot writes, on a terminal with so many columns or (nil) on none.
-- luacheck: push ignore 122
local function drawn(columns, draw, ...)
  local write, terminal, parts = io.write, torch._terminal, {}
  io.write = function(...) for _, text in ipairs{...} do parts[#parts + 1] = text end end
  torch._terminal = function() return columns end
  local ok, problem = pcall(draw, ...)
  io.write, torch._terminal = write, terminal
  assert(ok, problem)
  return table.concat(parts)
end
-- luacheck: pop

describe("torch.plot.image", function()
  local image = torch.tensor{{0.0, 1.0}, {0.5, 0.0}}

  it("shades pixels", function()
    assert.are.equal("  ██\n▒▒  \n", drawn(nil, plot.image, image))
    assert.are.equal("  ██\n▒▒  \n", drawn(nil, plot.image, image:unsqueeze(0)))
  end)

  it("puts images side by side, with labels, as many as fit", function()
    local two = torch.stack{image, 1 - image}
    assert.are.equal("  ██  ██  \n▒▒    ▒▒██\n a     b\n", drawn(nil, plot.image, two, {labels = {"a", "b"}}))
    assert.are.equal("  ██\n▒▒  \n██  \n▒▒██\n", drawn(nil, plot.image, two:unsqueeze(1), {width = 5}))
    assert.are.equal("  ██\n▒▒  \n██  \n▒▒██\n", drawn(nil, plot.image, {image, 1 - image}, {columns = 1}))
  end)

  it("is grey on a terminal, two pixels a character", function()
    assert.are.equal("\27[38;5;232;48;5;244m▀\27[38;5;255;48;5;232m▀\27[0m\n", drawn(80, plot.image, image))
  end)

  it("refuses what is no image", function()
    local ok, problem = pcall(plot.image, torch.ones(3))
    assert.is_false(ok)
    assert.are.equal("image(): expected (H, W), (N, H, W) or (N, 1, H, W), got torch.Size([3])",
      (tostring(problem):match "^[^\n]*"))
  end)
end)

describe("torch.plot.lines", function()
  it("draws a curve in braille between its extremes", function()
    local text = drawn(nil, plot.lines, torch.arange(5.0), {width = 20, height = 3, title = "t"})
    local lines = {}
    for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.are.equal(6, #lines)
    assert.are.equal("   t", lines[1])
    assert.is_truthy(lines[2]:find("^4 ┤"))
    assert.is_truthy(lines[4]:find("^0 ┤[^ ]")) -- begins below ...
    assert.is_falsy(lines[2]:find("^4 ┤[^ ]")) -- ... and ends above
    assert.is_truthy(lines[6]:find("^   1 +5$"))
  end)

  it("tells several curves apart with and without colours", function()
    local curves = {up = {1, 2, 3}, down = {3, 2, 1}}
    local text = drawn(nil, plot.lines, curves)
    assert.is_truthy(text:find("• down   + up", 1, true) and not text:find("\27", 1, true))
    assert.is_truthy(drawn(80, plot.lines, curves):find("\27[33m━━\27[0m up", 1, true))
  end)

  it("leaves out what is not finite, and draws a constant", function()
    assert.is_truthy(drawn(nil, plot.lines, {1.0, 0 / 0, 3.0, math.huge}):find "^3 ┤")
    assert.is_truthy(drawn(nil, plot.lines, {2.0, 2.0}):find "^2%.5 ┤")
  end)
end)

describe("torch.plot.histogram", function()
  it("counts", function()
    local text = drawn(nil, plot.histogram, {0, 0, 0, 1, 2}, {bins = 2})
    assert.is_truthy(text:find "^ +0 ┤.* 3\n +1 ┤.* 2\n$")
  end)
end)
