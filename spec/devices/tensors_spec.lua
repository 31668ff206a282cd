-- tensors_spec.lua: tensors, modules and optimizers that are made on a GPU or moved there and back.
local torch = require "torch"
local gpus = require "gpus"
local nn, optim = torch.nn, torch.optim

gpus.with_one("devices of tensors", function()
  after_each(function() torch.set_default_device "cpu" end)

  it("are named, compared and printed", function()
    assert.are.equal(torch.device "cuda:0", torch.device("cuda", 0))
    assert.are_not.equal(torch.device "cuda", torch.device "cuda:0")
    assert.are.equal("cuda:0", tostring(torch.ones(1, {device = "cuda"}).device))
    local d = torch.ones(1):cuda().device
    assert.are.equal("cuda", d.type)
    assert.are.equal(0, d.index)
    assert.is_nil(torch.device "cuda".index)
    assert.are.equal(0, gpus.tensor(1):get_device())
  end)

  it("are the default where a script says so", function()
    local function place() return tostring(torch.ones(1).device) end
    torch.set_default_device "cuda"
    assert.are.equal("cuda:0", place())
    assert.are.equal("cuda:0", tostring(torch.get_default_device()))
    assert.are.equal("cuda:0", tostring(nn.Linear(2, 2).weight.device))
    torch.set_default_device(nil)
    assert.are.equal("cpu", place())
    do
      local _ <close> = torch.set_default_device "cuda"
      assert.are.equal("cuda:0", place())
    end
    assert.are.equal("cpu", place())
    assert.are.equal("cuda:0", torch.device("cuda", place))
    assert.are.equal("cuda:0", torch.device("cuda", 0, place))
    assert.are.equal("cuda:0", torch.set_default_device("cuda:0", place))
    assert.is_false((pcall(torch.device, "cuda", function() error "no" end)))
    assert.is_false((pcall(torch.device, "cuda", 99, place)))
    assert.are.equal("cpu", place())
    collectgarbage()                         -- a guard that was dropped changes nothing
    torch.set_default_device "cuda"
    collectgarbage()
    assert.are.equal("cuda:0", place())
  end)

  it("change with cuda, cpu, half and to", function()
    local x = torch.arange(6, {dtype = torch.float32}):view(2, 3)
    local there = x:cuda()
    assert.is_true(there.is_cuda and not x.is_cuda)
    assert.is_true(rawequal(there, there:cuda()) or there:cuda():data_ptr() == there:data_ptr())
    assert.are_not.equal(there:data_ptr(), there:to("cuda", {copy = true}):data_ptr())
    assert.is_true(there:cpu():equal(x))
    assert.is_true(x:t():cuda():cpu():equal(x:t()))
    assert.are.equal("torch.float16", tostring(there:half().dtype))
    local y = x:to("cuda", torch.float64, {non_blocking = true, copy = true})
    assert.are.equal("cuda:0 torch.float64", tostring(y.device) .. " " .. tostring(y.dtype))
    assert.is_true(y:to(x):equal(x))                              -- device and dtype of another
    assert.is_true(there["0:2, 1"]:to("cpu"):equal(x["0:2, 1"]))
    assert.is_true(x:view(2, 3, 1):expand(2, 3, 4):cuda():cpu():equal(x:view(2, 3, 1):expand(2, 3, 4)))
    assert.are.equal(0, torch.zeros(0, 3):cuda():cpu():numel())
    local z = torch.zeros(2, 3)
    z:t():copy_(there:t())                                         -- to a strided target
    assert.is_true(z:equal(x))
    there:t():copy_(torch.ones(3, 2))
    assert.are.equal(6, there:sum():item())
    local leaf = torch.ones(2, {requires_grad = true})
    leaf:cuda():mul(3):sum():backward()
    assert.is_true(leaf.grad:equal(torch.tensor{3.0, 3.0}))
  end)

  it("are part of the old names of types", function()
    local x = torch.ones(2, {device = "cuda"})
    assert.are.equal("torch.cuda.FloatTensor torch.HalfTensor", x:type() .. " " .. x:cpu():half():type())
    assert.are.equal("torch.cuda.LongTensor", x:type(torch.int64):type())
    assert.is_true(x:type("torch.LongTensor"):equal(torch.tensor{1, 1}))
    assert.are.equal("torch.cuda.DoubleTensor", torch.ones(2):type("torch.cuda.DoubleTensor"):type())
    assert.are.equal(x:data_ptr(), x:type("torch.cuda.FloatTensor"):data_ptr())
    local ok, problem = pcall(x.type, x, "torch.cuda.SomeTensor")
    assert.is_false(ok)
    assert.is_truthy(tostring(problem):find("invalid type: 'torch.cuda.SomeTensor'", 1, true))
  end)

  it("print with their tensors", function()
    local function text(values, options)
      options.device = "cuda"
      return tostring(torch.tensor(values, options))
    end
    assert.are.equal("tensor([1.5000, 2.0000], device='cuda:0')", text({1.5, 2.0}, {}))
    assert.are.equal("tensor([1., 2.], device='cuda:0', dtype=torch.float16)", text({1.0, 2.0}, {dtype = torch.float16}))
    assert.are.equal("tensor([1., 2.], device='cuda:0', dtype=torch.bfloat16)", text({1.0, 2.0}, {dtype = torch.bfloat16}))
    assert.are.equal("tensor([1, 2], device='cuda:0')", text({1, 2}, {}))
    assert.are.equal("tensor([ True, False], device='cuda:0')", text({true, false}, {}))
    assert.are.equal("tensor(3, device='cuda:0')", text(3, {}))
    assert.are.equal("tensor([], device='cuda:0')", text({}, {}))
    assert.are.equal("tensor([], device='cuda:0', size=(2, 0))", tostring(torch.zeros(2, 0, {device = "cuda"})))
    assert.are.equal("tensor([1.], device='cuda:0', requires_grad=True)", text({1.0}, {requires_grad = true}))
    assert.is_truthy(tostring(gpus.tensor(1.0):requires_grad_():exp()):find("device='cuda:0', grad_fn=<ExpBackward0>)", 1, true))
    assert.are.equal("tensor([0, 1, 2,  ..., 1997, 1998, 1999], device='cuda:0')",
                     (tostring(torch.arange(2000, {device = "cuda"})):gsub("%[ +", "["):gsub(",  +(%d)", ", %1")))
    assert.are.equal(3, gpus.tensor(3):item())
    assert.are.equal("[1, 2]", "[" .. table.concat(gpus.tensor(1, 2):tolist(), ", ") .. "]")
  end)

  it("change for modules and their states", function()
    torch.manual_seed(1)
    local model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    local x = torch.rand(5, 3)
    local expected = model(x)
    local weight = model[0].weight
    assert.are.equal(model, model:cuda())
    assert.are.equal(weight, model[0].weight)               -- the same parameters, elsewhere
    assert.is_true(weight.is_cuda and weight.is_leaf and weight.requires_grad)
    assert.is_true(torch.allclose(model(x:cuda()):cpu(), expected, 1e-5, 1e-6))
    local state = model:state_dict()
    assert.is_true(state["0.weight"].is_cuda)
    local other = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    other:load_state_dict(state)                             -- from a GPU to the CPU
    assert.is_false(other[0].weight.is_cuda)
    assert.is_true(torch.allclose(other(x), expected, 1e-5, 1e-6))
    other:cuda():load_state_dict(model:cpu():state_dict())   -- and back
    assert.is_true(other[0].weight.is_cuda and not model[0].weight.is_cuda)
    assert.are.equal("torch.float16", tostring(other:half()[2].bias.dtype))
    assert.are.equal("cpu torch.float64", tostring(other:to("cpu", torch.float64)[2].bias.device) .. " "
      .. tostring(other[2].bias.dtype))
  end)

  it("may change before and after an optimizer is made", function()
    local function train(moves_first, make)
      torch.manual_seed(2)
      local model = nn.Linear(3, 1)
      if moves_first then model:cuda() end
      local optimizer = make(model:parameters())
      if not moves_first then model:cuda() end
      local x = torch.arange(12, {dtype = torch.float32}):view(4, 3):cuda() / 10
      for _ = 1, 3 do
        optimizer:zero_grad()
        model(x):pow(2):mean():backward()
        optimizer:step()
      end
      return model.weight:detach():cpu()
    end
    for _, make in ipairs{function(p) return optim.SGD(p, {lr = 0.1, momentum = 0.9}) end,
                          function(p) return optim.Adam(p, {lr = 0.1}) end} do
      assert.is_true(train(true, make):equal(train(false, make)))
    end
  end)

  it("scale gradients in mixed precision", function()
    local model = nn.Linear(4, 1):cuda()
    local optimizer, scaler = optim.SGD(model:parameters(), {lr = 0.1}), torch.amp.GradScaler("cuda")
    local x = torch.ones(2, 4, {device = "cuda"})
    local function step(factor)
      optimizer:zero_grad()
      local loss
      do
        local _ <close> = torch.autocast "cuda"
        local y = model(x)
        assert.are.equal("torch.float16", tostring(y.dtype))
        loss = nn.functional.mse_loss(y, torch.zeros(2, 1, {device = "cuda"})) * factor
      end
      scaler:scale(loss):backward()
      scaler:step(optimizer)
      scaler:update()
      return scaler:get_scale()
    end
    local before = model.weight:detach():clone()
    assert.are.equal(32768, step(math.huge))
    assert.is_true(before:equal(model.weight:detach()))
    assert.are.equal(32768, step(1))
    assert.is_false(before:equal(model.weight:detach()))
  end)
end)
