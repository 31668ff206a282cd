-- The namespaces of torch: each can be required, before torch itself and after, and is what torch's fields lead to.
local torch = require "torch"
local programs = require "programs"

local names = {"torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.parallel", "torch.optim",
  "torch.autograd", "torch.utils", "torch.utils.data", "torch.numpy", "torch.numpy.random", "torch.plot", "torch.pyplot", "torch.cuda",
  "torch.cuda.amp", "torch.amp", "torch.cpu.amp", "torch.backends", "torch.random", "torch.datasets", "torch.tqdm"}

local function reached(name)
  local value = torch
  for part in name:sub(7):gmatch "[^.]+" do value = value[part] end
  return value
end

describe("a namespace", function()
  for _, name in ipairs(names) do
    it(name .. " is what require gives", function()
      assert.are.equal(reached(name), require(name))
    end)
  end

  it("can be required before torch", function()
    for _, name in ipairs(names) do
      local program = ("package.cpath = '%s/?.so' local m = require '%s' local torch = require 'torch' assert(m == %s)")
        :format(programs.folder, name, name)
      assert.is_true(os.execute(("%s -e %s"):format(programs.lua, programs.quote(program))), name)
    end
  end)

  it("says what it is, and knows its names", function()
    assert.are.equal("<module 'torch.nn.functional'>", tostring(torch.nn.functional))
    local ok, err = pcall(function() return torch.nn.utils.clip_grad_nrm_ end)
    assert.is_false(ok)
    assert.are.equal("module 'torch.nn.utils' has no attribute 'clip_grad_nrm_'", err.message)
    assert.are.equal("did you mean 'torch.nn.utils.clip_grad_norm_'?", err.hint)
  end)
end)

describe("a part written in Lua", function()
  it("of lua/torch, or of a line of lua/names.lua, is a public name", function()
    local help, count = torch._part "help", 0
    for _, name in ipairs(torch._source()) do
      if name:find "^torch%." then
        count = count + 1
        assert.is_not_nil(help.value_of(name), name)
      end
    end
    for name in pairs(assert(loadfile "lua/names.lua")()) do assert.is_string(torch._source(name), name) end
    assert.is_true(count > 100)
  end)

  it("of lua/parts is none", function()
    for _, name in ipairs {"torch.utils.data.worker", "torch.numpy.print", "torch.vision.transforms.color", "torch.nn.lazy"} do
      assert.is_string(torch._source(name:sub(7)), name)
      assert.is_nil(torch._source(name))
      local ok, err = pcall(reached, name)
      assert.is_false(ok)
      assert.are.equal("AttributeError", err.code)
      assert.is_false((pcall(require, name)))
    end
  end)
end)

describe("torch.so", function()
  it("exports what Lua looks for and the bridge for hosts, and nothing else", function()
    local pipe = io.popen("nm -D --defined-only " .. programs.folder .. "/torch.so 2>/dev/null")
    local others = {}
    for line in pipe:lines() do
      local name = line:match "%S+$"
      if not name:find "^luaopen_torch" and not name:find "^tocha_lua_" then others[#others + 1] = name end
    end
    pipe:close()
    assert.are.equal("", table.concat(others, " "))
  end)
end)
