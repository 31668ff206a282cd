-- Text as a page's terminal shows it (lua/kernel/terminal.lua). spec/web/ tests it in the page.
local torch = require "torch"
local open = torch._part "kernel.terminal"

-- Returns the lines that pieces of text show, with styles as "<style>".
local function shown(...)
  local terminal, out = open(), {}
  for _, text in ipairs {...} do
    local past, lines = terminal:write(text)
    for _, chunk in ipairs(past) do
      for _, run in ipairs(chunk) do out[#out + 1] = run[1] end
      out[#out + 1] = "\n"
    end
    out.lines = lines
  end
  for _, run in ipairs(out.lines) do out[#out + 1] = (run[2] ~= "" and "<" .. run[2] .. ">" or "") .. run[1] end
  return table.concat(out)
end

describe("a page's terminal", function()
  it("writes over a line after a return", function()
    assert.equal("100%\nabc", shown "10%\r100%\nabd\bc")
    assert.equal("ünd", shown("ü?d\r", "ün"))
  end)

  it("moves the cursor, and erases", function()
    assert.equal("axc", shown "abc\27[2Dx")
    assert.equal("one\n2!o\n", shown "one\ntwo\n\27[A2!\n")
    assert.equal("one\n", shown "one\ntwo\nthree\27[2A\r\n\27[J")
    assert.equal("ab  c", shown "ab\27[2Cc")
    assert.equal("a", shown "abc\27[2D\27[K")
    assert.equal("   x", shown "abc\27[2Kx")
  end)

  it("has colours", function()
    assert.equal("<color:var(--ansi-1);>red", shown "\27[31mred")
    assert.equal("<color:var(--ansi-9);background:rgb(255,135,0);font-weight:600>a<background:rgb(255,135,0);>b", shown "\27[1;91;48;5;208ma\27[22;39mb")
    assert.equal("<color:rgb(1,2,3);>a<color:rgb(8,8,8);>b", shown "\27[38;2;1;2;3ma\27[38;5;232mb")
    assert.equal("plain", shown "\27[1;31m\27[0mplain")
    assert.equal("ab", shown "a\27[38mb\27[;m":gsub("<.->", ""))
  end)

  it("reads sequences that come in two pieces, and skips others", function()
    assert.equal("<color:var(--ansi-2);>x", shown("\27", "[3", "2mx"))
    assert.equal("ab", shown("a\27]0;ti", "tle\7b"))
    assert.equal("abc", shown "a\27Pq#0\27\\b\27[?25lc")
  end)

  it("settles all but the last lines", function()
    local lines = {}
    for i = 1, 3000 do lines[i] = "line " .. i end
    local text = table.concat(lines, "\n")
    assert.equal(text, shown(text))
    assert.equal(text, shown(text:sub(1, 20001), text:sub(20002)))
    assert.equal(text, (shown("\27[31m" .. text):gsub("<.->", "")))
    assert.equal(("\n"):rep(150) .. ("x"):rep(9000), shown(("\n"):rep(150) .. ("x"):rep(9000)))
    assert.equal(text:gsub("line 3000", "LINE 3000"), shown(text, "\rLINE"))
  end)

  it("bounds a line", function()
    assert.equal(19900, #shown(("x"):rep(19900)))
    local terminal = open()
    for _ = 1, 30 do terminal:write(("x"):rep(1000)) end
    assert.equal(2, #terminal.lines)
  end)
end)
