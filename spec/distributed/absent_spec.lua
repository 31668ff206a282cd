-- absent_spec.lua: PyTorch's names that are not there say what takes their place.
local torch = require "torch"
local absent = torch._part "distributed.absent"

describe("a name of torch.distributed that is not there", function()
  it("says what takes its place", function()
    local without = {}
    for name in torch._part("hints.pytorch_names")["torch.distributed"]:gmatch "%S+" do
      local there, err = pcall(function() return torch.distributed[name] end)
      if not there and not err.hint:find(absent.reasons["torch.distributed"][name] or "no reason", 1, true) then without[#without + 1] = name end
    end
    assert.same({}, without)
  end)

  it("is not there", function()
    local there = {}
    for space, reasons in pairs(absent.reasons) do
      for name in pairs(reasons) do
        if rawget(torch[space:match "[^.]+$"], name) ~= nil then there[#there + 1] = space .. "." .. name end
      end
    end
    assert.same({}, there)
  end)

  it("is an AttributeError in PyTorch's words, of torch.multiprocessing, too", function()
    local ok, err = pcall(function() return torch.multiprocessing.Queue end)
    assert.is_false(ok)
    assert.are.same({"AttributeError", "module 'torch.multiprocessing' has no attribute 'Queue'"}, {err.code, err.message})
    assert.is_nil(select(2, pcall(function() return torch.multiprocessing.Nothing end)).hint)
  end)
end)
