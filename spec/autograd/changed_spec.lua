-- changed_spec.lua: tensors that are freed, or given other data, while a graph needs them, and hooks that change what they see:
-- an error or the right gradient, and nothing is lost. What PyTorch answers to the same is in golden/autograd/replaced_data.lua.
local torch = require "torch"
local F, graph = torch.nn.functional, torch.autograd.graph

local function leaf(...) return torch.ones({...}, {requires_grad = true}) end
local function id(t) return t end
local function message(f, ...)
  local ok, e = pcall(f, ...)
  assert.is_false(ok)
  return tostring(e)
end
local function backward(y) return message(function() y:sum():backward() end) end

describe("a leaf that was saved for backward", function()
  -- Rules that trust the sizes, the dtype or the device of what they read.
  local rules = {
    mul = {{4, 4}, function(w) return torch.ones(4, 4) * w * w end},
    conv1d = {{8, 4, 3}, function(w) return F.conv1d(torch.ones(2, 4, 16), w) end},
    conv2d = {{8, 4, 3, 3}, function(w) return F.conv2d(torch.ones(2, 4, 8, 8, {requires_grad = true}), w) end},
    conv_transpose2d = {{4, 8, 3, 3}, function(w) return F.conv_transpose2d(torch.ones(2, 4, 8, 8, {requires_grad = true}), w) end},
    layer_norm = {{512}, function(w) return F.layer_norm(leaf(2, 512), {512}, w) end},
    group_norm = {{64}, function(w) return F.group_norm(leaf(2, 64, 4), 4, w) end},
    batch_norm = {{64}, function(w) return F.batch_norm(leaf(8, 64, 4), nil, nil, w, nil, true) end},
    max_pool2d = {{2, 4, 16, 16}, function(w) return F.max_pool2d(w, 2) end},
    adaptive_max_pool2d = {{2, 4, 16, 16}, function(w) return F.adaptive_max_pool2d(w, 3) end},
    fractional_max_pool2d = {{2, 4, 8, 8}, function(w) return F.fractional_max_pool2d(w, 2, {output_size = 3}) end},
    max_unpool2d = {{2, 4, 8, 8}, function(w)
      local y, i = F.max_pool2d(w, 2, {return_indices = true})
      return F.max_unpool2d(y, i, 2)
    end},
    grid_sample = {{2, 8, 8, 2}, function(w) return F.grid_sample(torch.ones(2, 4, 16, 16), w, {align_corners = false}) end},
    cdist = {{16, 8}, function(w) return torch.cdist(w, torch.zeros(16, 8)) end},
    multi_margin_loss = {{8, 8}, function(w) return F.multi_margin_loss(w, torch.zeros(8):long()) end},
    lstm = {{32, 8}, function(w)
      local l = torch.nn.LSTM(8, 8)
      l.weight_ih_l0 = torch.nn.Parameter(w)
      return (l(torch.ones(4, 2, 8))), l.weight_ih_l0
    end},
  }
  local function ones(n) -- as many dimensions, each of size 1
    local sizes = {}
    for i = 1, n do sizes[i] = 1 end
    return torch.ones(sizes)
  end
  local changes = {
    ["given fewer dimensions"] = function(w) w.data = torch.ones(1) end,
    ["given smaller ones"] = function(w) w.data = ones(w.ndim) end,
    ["given none"] = function(w) w.data = torch.zeros(0) end,
    ["given larger ones"] = function(w) w.data = torch.cat {w.data, w.data} end,
    ["given another dtype"] = function(w) w.data = w.data:double() end,
    ["given another device"] = function(w) w.data = torch.ones(w.shape, {device = "meta"}) end,
    ["freed"] = function(w) w:free() end,
  }
  local refusals = {"^this tensor was freed with free%(%)", "^one of the variables .* was given other data",
    "hint: the tensor was given another shape"}
  local function refused(text)
    for _, refusal in ipairs(refusals) do
      if text:match(refusal) then return true end
    end
  end
  for name, rule in pairs(rules) do
    it("is refused by the rule of " .. name .. ", or has a gradient that fits", function()
      for what, change in pairs(changes) do
        local w = torch.rand(rule[1]):requires_grad_()
        local y, parameter = rule[2](w)
        w = parameter or w
        change(w)
        local ok, e = pcall(function() y:sum():backward() end)
        if ok then
          assert(what:match "another")
          assert.are.same({w.shape, w.dtype, w.device}, {w.grad.shape, w.grad.dtype, w.grad.device})
        else
          assert(refused(tostring(e)), what .. ": " .. tostring(e))
          assert.is_nil(w.grad)
        end
      end
    end)
  end

  it("is named with both looks", function()
    local w = leaf(4)
    local y = w * w
    w.data = torch.ones({2, 3}, {dtype = torch.float64})
    assert.matches("it was %[torch[%.a-z]*.FloatTensor %[4%]%] when it was saved and is %[torch[%.a-z]*.DoubleTensor %[2, 3%]%] now\n.*hint: ", backward(y))
  end)

  it("is refused although it was written before", function()
    local norm = torch.nn.LayerNorm(8) -- whose weight was filled in place
    local y = norm(leaf(2, 8))
    norm.weight.data = torch.ones(2)
    assert.matches("given other data", backward(y))
  end)

  it("may be of another dtype if its values are not read", function()
    local w = leaf(4)
    local y = w + 1
    w.data = torch.ones({4}, {dtype = torch.float64})
    y:sum():backward()
    assert.equal(torch.float64, w.grad.dtype)
    assert.same({1.0, 1.0, 1.0, 1.0}, w.grad:tolist())
  end)

  it("may be used in its new shape while an older graph is alive", function()
    local w = leaf(4)
    local old = w * 2
    w.data = torch.ones(2);
    (w * 3):sum():backward()
    assert.same({3.0, 3.0}, w.grad:tolist())
    assert.matches("hint: the tensor was given another shape", backward(old))
    assert.same({3.0, 3.0}, w.grad:tolist())
  end)

  it("is an error if it was freed, also if its values are not read", function()
    local w = leaf(4)
    local y = w + 1
    w:free()
    assert.matches("^this tensor was freed with free%(%)", backward(y))
  end)
end)

describe("a result that was given other data", function()
  it("has gradients of its new look, which fit the old one or are refused", function()
    local w = leaf(1)
    local x = w * 2
    x.data = torch.ones(4096)
    F.layer_norm(torch.arange(4096):float():view(1, 4096), {4096}, x)[{{0}, "0:2"}]:sum():backward()
    assert.same({1}, {w.grad.shape:unpack()})
    w = leaf(2)
    x = w * 2
    x.data = torch.ones(4096)
    assert.matches("got %[4096%] but expected shape compatible with %[2%]", backward(F.layer_norm(torch.ones(1, 4096), {4096}, x)))
    w = leaf(2)
    x = w * 2
    x.data = x.data:double();
    (x * 3):sum():backward()
    assert.same({6.0, 6.0}, w.grad:tolist())
    assert.equal(torch.float32, w.grad.dtype)
  end)
end)

describe("a view that is written in place", function()
  it("is refused if its base was freed", function()
    local x = leaf(1000) * 1
    local v = x[{"0:900"}]
    x:free()
    v:mul_(2)
    assert.matches("out of bounds for storage of size 0\n.*hint: a view", backward(v))
  end)

  it("does not let gradients accumulate in memory of others", function()
    local w, d = leaf(4), torch.zeros(2)
    local v = (w * 1)[{"0:2"}]:detach()
    v.data = d
    w[{"0:2"}]:backward(v)
    w[{"0:2"}]:backward(v + 1)
    assert.same({0.0, 0.0}, d:tolist())
    assert.same({1.0, 1.0, 0.0, 0.0}, w.grad:tolist())
  end)
end)

describe("hooks", function()
  local function with_hook(f)
    local w = leaf(4)
    local z = w * 2
    z:register_hook(f)
    return z
  end
  it("that change a gradient's look in place are refused", function()
    local text = "^a gradient was freed, or given other sizes"
    assert.matches(text, backward(with_hook(function(g) g:resize_(8) end)))
    assert.matches(text, backward(with_hook(function(g) g.data = torch.ones(8) end)))
    assert.matches(text, backward(with_hook(function(g) g.data = g.data:double() end)))
    assert.matches(text, backward(with_hook(function(g) g:unsqueeze_(0) end)))
    assert.matches("freed", backward(with_hook(function(g) g:free() end)))
  end)

  it("are refused for a gradient that goes elsewhere, too", function()
    local a, b = leaf(4), leaf(4)
    local z = b:exp()
    local x, y = a * 1, z + 1 -- y's node gives its gradient on to z's; x's runs between them
    local kept
    y:register_hook(function(g) kept = g end)
    x:register_hook(function() kept.data = torch.ones(1000) end)
    assert.matches("^a gradient was freed, or given other sizes", backward(x + y))
  end)

  it("of a saved tensor may free or replace what another unpacked", function()
    local kept = {}
    local function unpack(t)
      for _, other in ipairs(kept) do other.data = torch.ones(1) end
      kept[#kept + 1] = t
      return t
    end
    local x, y = leaf(4, 4) * 1, leaf(4, 4) * 1
    local z = graph.saved_tensors_hooks(function(t) return t:clone() end, unpack, function() return x:matmul(y) end)
    assert.matches("unpack hook returned a tensor of another shape", backward(z))
  end)

  it("that pack may not change what else the operator reads, or writes", function()
    local w, x = torch.ones({8, 4, 3, 3}, {requires_grad = true}), leaf(2, 4, 8, 8)
    local function pack(t) w.data = torch.ones(1, 1, 1, 1) x.data = torch.ones(1) return t end
    assert.matches("given other data", message(graph.saved_tensors_hooks, pack, id, function() return F.conv2d(x, w) end))
    local a = leaf(4) * 1
    local function pack_exp(t) a.data = torch.ones(1000) return t end
    assert.matches("written in place", message(graph.saved_tensors_hooks, pack_exp, id, function() a:exp_() end))
  end)

  it("of saved tensors may run the graph that unpacks", function()
    local w, u, y = leaf(3), leaf(3), nil
    local nested = 0
    graph.saved_tensors_hooks(function(t) return t * 1 end, function(t)
      nested = nested + 1
      if nested == 1 then
        y:backward()
        collectgarbage()
      end
      return t
    end, function() y = (w * u):sum() end)
    y:backward()
    assert.same({2.0, 2.0, 2.0}, w.grad:tolist())
    assert.matches("second time", message(y.backward, y))
  end)

  it("of saved tensors may let go of the graph whose ctx asks for them", function()
    local Keep = torch.autograd.Function:extend "Keep"
    local ctx, y
    function Keep.forward(c, x)
      ctx = c
      c:save_for_backward(x, x + 1)
      return x * 2
    end
    function Keep.backward(_, grad) return grad end
    graph.saved_tensors_hooks(id, function(t)
      y = nil
      collectgarbage()
      collectgarbage()
      return t
    end, function() y = Keep.apply(leaf(3)) end)
    pcall(function() return ctx.saved_tensors end)
    assert.is_nil(y)
  end)
end)

describe("guards of saved tensors' hooks", function()
  local calls
  local function hooks(name)
    return graph.saved_tensors_hooks(function(t) calls[#calls + 1] = name return t end, id)
  end
  local function close(guard) local _ <close> = guard end
  local function saved()
    calls = {}
    leaf(3):exp()
    return table.concat(calls)
  end

  it("end in any order", function()
    local guards = {hooks "a", hooks "b", hooks "c"}
    assert.equal("c", saved())
    close(guards[2])
    assert.equal("c", saved())
    close(guards[3])
    assert.equal("a", saved())
    local c = hooks "c"
    close(guards[1])
    guards[1] = nil
    collectgarbage()
    collectgarbage()
    assert.equal("c", saved())
    close(c)
    assert.equal("", saved())
  end)

  it("may be closed by their own hook", function()
    local guard
    guard = graph.saved_tensors_hooks(function(t) close(guard) guard = nil collectgarbage() return t end, id)
    local x = leaf(3)
    local y = x * x -- two tensors are saved
    assert.is_nil(guard)
    assert.equal("", saved())
    y:sum():backward()
    assert.same({2.0, 2.0, 2.0}, x.grad:tolist())
  end)

  it("may be opened in a hook", function()
    calls = {}
    graph.saved_tensors_hooks(function(t)
      torch.enable_grad(function() graph.saved_tensors_hooks(function(u) calls[#calls + 1] = "inner" return u end, id, function() leaf(2):exp() end) end)
      return t
    end, id, function() leaf(3):exp() end)
    assert.equal("inner", table.concat(calls))
    assert.equal("", saved())
  end)
end)
