-- own_ways_spec.lua: where modules do what PyTorch's cannot be asked for: classes without names, gradients that are sparse there.
local torch = require "torch"
local programs = require "programs"
local nn = torch.nn

local function problem(f)
  local ok, message = pcall(f)
  assert.is_false(ok)
  return (tostring(message):match "^[^\n]*"), tostring(message):match "hint: ([^\n]*)"
end

describe("extend without a name", function()
  it("says how it is written", function()
    for class, write in pairs{[nn.Module] = 'nn.Module:extend "Net"', [nn.Linear] = 'nn.Linear:extend "Net"',
      [torch.utils.data.Dataset] = 'Dataset:extend "Mine"', [torch.optim.Optimizer] = 'Optimizer:extend "Mine"'} do
      local message, hint = problem(function() return class:extend() end)
      assert.equal("extend() missing 1 required positional argument: 'name'", message)
      assert.truthy(hint:find(write, 1, true), hint)
    end
  end)
end)

describe("an embedding with sparse = true", function()
  local function gradient(layer, input)
    torch.manual_seed(0)
    nn.init.normal_(layer.weight)
    layer(input):pow(2):sum():backward()
    return layer.weight.grad
  end

  it("warns once", function()
    local text = programs.run('local e = torch.nn.Embedding{5, 2, sparse = true} for _ = 1, 3 do e(torch.tensor{1}):sum():backward() end')
    assert.equal(1, select(2, text:gsub("sparse gradients are not supported: this one is dense", "")))
    assert.equal("", programs.run('torch.no_grad(function() torch.nn.Embedding{5, 2, sparse = true}(torch.tensor{1}) end)'))
  end)

  it("trains as one without, by a dense gradient", function()
    for _, case in ipairs{
      {function(sparse) return nn.Embedding{5, 2, sparse = sparse} end, torch.tensor{1, 2, 1}},
      {function(sparse) return nn.EmbeddingBag{5, 2, mode = "sum", sparse = sparse} end, torch.tensor{{1, 2, 1}}},
      {function(sparse) return nn.EmbeddingBag{5, 2, sparse = sparse} end, torch.tensor{{1, 2, 1}}},
    } do
      local dense, sparse = gradient(case[1](false), case[2]), gradient(case[1](true), case[2])
      assert.is_true(torch.equal(dense, sparse))
      assert.equal(0, sparse[4]:abs():sum():item())
    end
  end)
end)

describe("a member that is not stored", function()
  it("stands behind what a class of one's own has", function()
    local Mine = nn.LSTM:extend "Mine"
    function Mine:flatten_parameters() return "mine" end
    local layer = Mine(2, 3)
    assert.equal("mine", layer:flatten_parameters())
    assert.equal("LSTM", layer.mode)
    assert.same({1, 4, 3}, layer:get_expected_hidden_size(torch.ones(5, 4, 2)))
    assert.same({1, 4, 3}, layer:get_expected_cell_size(torch.ones(5, 4, 2)))
    assert.same({4, 6, 2}, nn.LSTM(2, 3, 2, {bidirectional = true, proj_size = 2, batch_first = true}):get_expected_hidden_size(torch.ones(6, 4, 2)))
    local swapped = torch.tensor{1, 0}
    assert.equal("tensor([[[3.], [2.]]])", (tostring(layer:permute_hidden(torch.tensor{{{2.}, {3.}}}, swapped)):gsub("%],%s+%[", "], [")))
    layer.mode = "another"
    assert.equal("another", layer.mode)
    assert.is_nil(nn.Linear(2, 2).mode)
    assert.is_nil(nn.Linear(2, 2).reset_running_stats)
  end)
end)
