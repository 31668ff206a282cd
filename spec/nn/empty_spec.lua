-- empty_spec.lua: a batch of none. What PyTorch answers is in ../golden/nn/empty_batches.lua and empty_functional.lua; here, that they
-- leave nobody out, and what PyTorch cannot do.
local torch = require "torch"
local programs = require "programs"
local nn = torch.nn

-- Modules that take no batch of their own, or need more than one GPU.
local APART = {}
for name in ([[Buffer Container DataParallel LinearCrossEntropyOptions Module ModuleDict ModuleList Parameter ParameterDict
  ParameterList RNNBase RNNCellBase UninitializedBuffer UninitializedParameter]]):gmatch "%S+" do
  APART[name] = true
end
-- PyTorch fails in a select, or gives what lies in memory; these have a test here.
for n = 1, 3 do APART["InstanceNorm" .. n .. "d"], APART["LazyInstanceNorm" .. n .. "d"] = true, true end

local function names_of(space)
  local names = {}
  for name in pairs(space) do names[name] = true end
  for _, name in ipairs(torch._parts "torch.nn") do names[name] = true end
  return names
end

-- Returns true if the program contains a name, or composes it of a stem and a number of dimensions.
local function mentions(text, name)
  local stem, n = name:match "^(.-)(%d)d$"
  return text:find(name, 1, true) or n and n <= "3" and (text:find('nn["' .. stem .. '" ..', 1, true) or text:find('"' .. stem .. '"', 1, true))
    or text:find('"' .. (name:match "^(%u+)Cell$" or "?") .. '"', 1, true)
end

describe("a batch of none", function()
  it("goes through every module", function()
    local text, missing = programs.read "spec/golden/nn/empty_batches.lua", {}
    for name in pairs(names_of(nn)) do
      if name:find "^%u" and not APART[name] and not mentions(text, name) then missing[#missing + 1] = name end
    end
    table.sort(missing)
    assert.same({}, missing)
  end)

  for n = 1, 3 do
    it("goes through InstanceNorm" .. n .. "d", function()
      local size = {0, 2, 4}
      for _ = 2, n do size[#size + 1] = 4 end
      for _, layer in ipairs{nn["InstanceNorm" .. n .. "d"](2, {affine = true}), nn["LazyInstanceNorm" .. n .. "d"]{affine = true}} do
        local x = torch.rand(size):requires_grad_()
        local y = layer(x)
        y:sum():backward()
        assert.equal(tostring(x.shape), tostring(y.shape))
        assert.equal(tostring(x.shape), tostring(x.grad.shape))
        assert.equal(0, layer.weight.grad:abs():sum():item())
      end
    end)
  end

  for _, name in ipairs{"RNN", "LSTM", "GRU"} do
    it("has second derivatives in " .. name, function()
      local x, layer = torch.rand(3, 0, 2):requires_grad_(), nn[name](2, 4)
      local grad = torch.autograd.grad(layer(x):sum(), x, {create_graph = true})
      assert.equal("torch.Size([3, 0, 2])", tostring(grad.shape))
      layer:zero_grad()
      grad:pow(2):sum():backward()
      assert.equal(0, layer.weight_hh_l0.grad:abs():sum():item())
    end)
  end
end)
