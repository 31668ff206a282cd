-- golden_spec.lua: programs of several ranks print what PyTorch's ranks print (spec/golden/distributed).
local lfs = require "lfs"
local busted = require "busted"
local torch = require "torch"
local digits = require "digits"
local ranks = require "ranks"

local topic = "distributed"
local folder = ("spec/golden/%s/"):format(topic)

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

-- PyTorch was asked on such a processor: products and convolutions of others have other last bits.
local able = torch.backends.cpu.get_cpu_capability() == "AVX512" and torch._blas() and torch.backends.mkldnn.is_available()

busted.describe("torch.distributed as PyTorch's", function()
  for name in lfs.dir(folder) do
    local path = folder .. name
    local sizes, rest = (name:find "%.lua$" and read(path) or ""):match "^%-%- ranks: ([%d ]+)([^\n]*)"
    for size in (sizes or ""):gmatch "%d+" do
      local it = rest == "" and busted.it or digits.it(able)
      it(("%s on %s ranks"):format(name:sub(1, -5), size), function()
        local expected = read(path:gsub("lua$", "expected")) .. "== rank"
        for rank, ended in ipairs(ranks.run(path, tonumber(size))) do
          local head = ("== rank %d of %s\n"):format(rank - 1, size)
          local from = select(2, expected:find(head, 1, true)) + 1
          assert.equal(0, ended.status, ended.errors)
          assert.equal(expected:sub(from, expected:find("== rank", from, true) - 1), ended.output)
        end
      end)
    end
  end
end)
