-- errors_spec.lua: errors about devices: their text, and that the session goes on.
local torch = require "torch"
local gpus = require "gpus"
local nn, cuda, fails = torch.nn, torch.cuda, gpus.fails

gpus.with_one("mistakes with devices", function()
  local places = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"

  it("name both devices, and the cure", function()
    local here, there = torch.ones(2, 2), torch.ones(2, 2, {device = "cuda"})
    for _, f in ipairs{function(a, b) return a + b end, function(a, b) return a:mm(b) end,
                       function(a, b) return torch.cat{a, b} end, function(a, b) return nn.functional.mse_loss(a, b) end,
                       function(a, b) return torch.where(a:gt(0), a, b) end} do
      for _, pair in ipairs{{there, here}, {here, there}} do
        local ok, err = pcall(f, pair[1], pair[2])
        assert.is_false(ok)
        assert.is_truthy(tostring(err):find("Expected all tensors to be on the same device", 1, true), tostring(err))
      end
    end
    assert.is_truthy(fails(places, function() return there + here end):find(':to("cuda:0")', 1, true))
    assert.are.equal(8, (there + torch.tensor(1)):sum():item()) -- a number of the CPU may join
    fails("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
          there.numpy, there)
  end)

  it("name the device that something is on", function()
    local there = torch.ones(4, {device = "cuda"})
    fails("tensor_split expected tensor_indices_or_sections to be on cpu, but it's on cuda:0", torch.tensor_split, there,
          torch.tensor({1, 2}, {device = "cuda"}))
    fails("device type cpu does not match device type of out parameter (cuda)", torch.ones, 4,
          {device = "cpu", out = there})
    assert.are.equal("cuda:0", tostring(torch.zeros(2, {out = there}).device))
  end)

  it("name the module and the move that is missing", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.layers = nn.Sequential(nn.ReLU(), nn.Linear(2, 2)) end
    function Net:forward(x) return self.layers(x) end
    local net = Net():cuda()
    local ok, err = pcall(function() return net(torch.ones(1, 2)) end)
    assert.is_false(ok)
    err = tostring(err)
    assert.are.equal(places, err:match "^[^\n]*")
    assert.is_truthy(err:find("in net.layers.1 (Linear)", 1, true), err)
    assert.is_truthy(err:find('hint: the module\'s parameters are on cuda:0 and its input is on cpu: write input:to("cuda:0")',
                              1, true), err)
  end)

  it("with indices are errors at the next wait, and harmless then", function()
    local x, bad = torch.arange(4, {device = "cuda"}), gpus.tensor(1, 9)
    local message = "%s(): index 9 is out of bounds for dimension 0 with size 4"
    local waits = {function() cuda.synchronize() end, function(y) return y:cpu() end,
                   function(y) return y:sum():item() end, function(y) return tostring(y) end,
                   function() cuda.current_stream():synchronize() end,
                   function()
                     local event = cuda.Event()
                     event:record()
                     event:synchronize()
                   end}
    for _, wait in ipairs(waits) do
      fails(message:format "index", function() wait(x[bad]) end)
      assert.are.equal(6, x:sum():item())
    end
    fails(message:format "gather", function() waits[1](x:gather(0, bad)) end)
    fails(message:format "index_select", function() waits[1](x:index_select(0, bad)) end)
    cuda.synchronize()
  end)

  it("with dtypes and shapes are those of the CPU", function()
    for _, f in ipairs{function(d) return torch.ones(2, 3, d):mm(torch.ones(2, 3, d)) end,
                       function(d) return torch.ones(2, d) + torch.ones(3, d) end,
                       function(d) return torch.ones(2, d):view(3) end,
                       function(d) return torch.ones(2, d)[5] end,
                       function(d) return torch.ones(2, d):sum(4) end} do
      assert.are.equal((gpus.error_of(f, {device = "cpu"})), (gpus.error_of(f, {device = "cuda"})))
    end
  end)
end)
