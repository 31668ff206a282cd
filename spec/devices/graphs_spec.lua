-- graphs_spec.lua: CUDA graphs: captures and replays, their memory and random numbers, and what a capture forbids.
local torch = require "torch"
local gpus = require "gpus"
local captures = require "captures"
local cuda, nn, F, fails = torch.cuda, torch.nn, torch.nn.functional, gpus.fails

local FORBIDDEN = "CUDA error: operation not permitted when stream is capturing"

local same, warm_up, captured = captures.same, captures.warm_up, captures.captured

gpus.with_one("graphs", function()
  it("replay a forward with what the tensors contain now", function()
    local net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)):cuda()
    local x = torch.randn(5, 8, {device = "cuda"})
    warm_up(function() net(x) end)
    local graph, y = captured(function() return net(x) end)
    for _ = 1, 3 do
      x:copy_(torch.randn(5, 8, {device = "cuda"}))
      graph:replay()
      same(net(x), y)
    end
    assert.is_truthy(tostring(graph):find "^<torch.cuda.graphs.CUDAGraph object at ")
  end)

  it("compute nothing while they are captured", function()
    local x = torch.zeros(4, {device = "cuda"})
    local graph = captured(function() x:add_(1) end)
    same(torch.zeros(4), x)
    graph:replay()
    graph:replay()
    same(torch.full({4}, 2), x)
  end)

  it("are captured by a guard, or by calls", function()
    local x = torch.ones(3, {device = "cuda"})
    local graph, before = cuda.CUDAGraph(), cuda.current_stream()
    local y
    do
      local _ <close> = cuda.graph(graph)
      assert.is_true(cuda.is_current_stream_capturing())
      assert.are_not.equal(before, cuda.current_stream())
      y = x * 3
    end
    assert.is_false(cuda.is_current_stream_capturing())
    assert.are.equal(before, cuda.current_stream())
    graph:replay()
    same(torch.full({3}, 3), y)
    local other, side, z = cuda.CUDAGraph(), cuda.Stream()
    cuda.synchronize()
    cuda.stream(side, function()
      other:capture_begin{pool = graph:pool(), capture_error_mode = "thread_local"}
      z = y + 1
      other:capture_end()
    end)
    graph:replay()
    other:replay()
    same(torch.full({3}, 4), z)
    assert.are.equal(graph:pool(), other:pool())
  end)

  it("say what is wrong with a call", function()
    local graph = cuda.CUDAGraph()
    fails("Called CUDAGraph::replay without a preceding successful capture.", graph.replay, graph)
    fails("Called CUDAGraph::pool() without a preceding successful capture.", graph.pool, graph)
    fails("CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)",
      graph.capture_begin, graph)
    fails("Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got strict", cuda.graph, graph,
      {capture_error_mode = "strict"}, function() end)
    fails("CUDA error: the operation cannot be performed in the present state", graph.capture_end, graph)
    local x = torch.ones(2, {device = "cuda"})
    cuda.graph(graph, function() x:add_(1) end)
    fails("This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.",
      cuda.graph, graph, function() end)
    assert.is_false(cuda.is_current_stream_capturing())
    fails("instantiate() is intended to be called by the user only when keep_graph=true", graph.instantiate, graph)
    fails("expected a torch.cuda.CUDAGraph, not int", graph.replay, 3)
    fails("pool must be a handle of graph_pool_handle() or graph:pool(), or a torch.cuda.MemPool", cuda.graph, cuda.CUDAGraph(),
      {pool = 3}, function() end)
    graph:reset()
    cuda.graph(graph, function() x:mul_(2) end)
    graph:replay()
    same(torch.full({2}, 2), x)
  end)

  it("stay beside their executable form if they are asked to", function()
    local x = torch.zeros(2, {device = "cuda"})
    local graph = cuda.CUDAGraph{keep_graph = true}
    cuda.graph(graph, function() x:add_(1) end)
    graph:instantiate()
    graph:replay()
    same(torch.ones(2), x)
    local path = os.tmpname()
    graph:debug_dump(path)
    local file = assert(io.open(path))
    assert.is_truthy(file:read "a":find "^digraph")
    file:close()
    os.remove(path)
    local debugged = cuda.CUDAGraph()
    debugged:enable_debug_mode()
    cuda.graph(debugged, function() x:add_(1) end)
    debugged:debug_dump(path)
    os.remove(path)
    assert.is_false((pcall(captured(function() x:add_(1) end).debug_dump, path)))
  end)

  it("follow forks and joins of streams", function()
    local x = torch.ones(100, {device = "cuda"})
    local side = cuda.Stream()
    local graph, y = captured(function()
      local main = cuda.current_stream()
      local a = x * 2
      side:wait_stream(main)
      local b = cuda.stream(side, function() return x * 3 end)
      local c = a + 1
      main:wait_event(side:record_event())
      b:record_stream(main)
      return b + c
    end)
    x:fill_(2)
    graph:replay()
    same(torch.full({100}, 11), y)
    fails("CUDA error: capturing stream has unjoined work", cuda.graph, cuda.CUDAGraph(), function()
      side:wait_stream(cuda.current_stream())
      cuda.stream(side, function() return x * 3 end)
    end)
    same(torch.full({100}, 6), cuda.stream(side, function()
      side:wait_stream(cuda.default_stream())
      local y2 = x * 3
      cuda.default_stream():wait_stream(side)
      return y2
    end))
  end)

  it("may be replayed on any stream", function()
    local x = torch.zeros(4, {device = "cuda"})
    local graph = captured(function() x:add_(1) end)
    graph:replay()
    local side = cuda.Stream()
    side:wait_stream(cuda.current_stream())
    cuda.stream(side, function() graph:replay() end)
    cuda.current_stream():wait_stream(side)
    graph:replay()
    same(torch.full({4}, 3), x)
  end)

  it("report an index out of range at the next wait", function()
    local x, index = torch.arange(4, {device = "cuda"}), torch.tensor({1, 2}, {device = "cuda"})
    local graph, y = captured(function() return x:index_select(0, index) end)
    graph:replay()
    same(torch.tensor{1, 2}, y)
    index:fill_(9)
    graph:replay()
    local ok, problem = pcall(cuda.synchronize)
    assert.is_false(ok)
    assert.is_truthy(tostring(problem):find("index 9 is out of bounds", 1, true))
    index:fill_(3)
    graph:replay()
    same(torch.tensor{3, 3}, y)
  end)

  it("factor matrices, if nobody asks the host if that went well", function()
    local a = torch.randn(3, 4, 4, {device = "cuda"})
    local function f() return torch.linalg.det(a), torch.linalg.qr(a) end
    warm_up(f)
    local graph, determinants, q, r = captured(f)
    a:copy_(torch.randn(3, 4, 4, {device = "cuda"}))
    graph:replay()
    for i, x in ipairs{f()} do same(x, ({determinants, q, r})[i]) end
  end)

  it("copy from and to pinned memory", function()
    local source, target = torch.ones(4):pin_memory(), torch.zeros(4):pin_memory()
    local graph = captured(function()
      local x = torch.empty(4, {device = "cuda"})
      x:copy_(source, true)
      target:copy_(x * 2, true)
    end)
    source:fill_(3)
    graph:replay()
    cuda.synchronize()
    same(torch.full({4}, 6), target)
  end)
end)

gpus.with_one("random numbers of a graph", function()
  local function draw()
    local x = torch.rand(7, {device = "cuda"})
    local n = torch.randn(3, 5, {device = "cuda", dtype = torch.float64})
    local d = F.dropout(torch.ones(64, {device = "cuda"}), 0.5)
    local b = torch.bernoulli(torch.full({9}, 0.5, {device = "cuda"}))
    local m = torch.multinomial(torch.ones(6, {device = "cuda"}), 4, true)
    local p = torch.randint(0, 100, {5}, {device = "cuda"})
    return torch.cat{x:double(), n:flatten(), d:double(), b:double(), m:double(), p:double()}
  end

  it("are those that eager calls draw", function()
    draw()
    local graph, drawn = captured(draw)
    cuda.manual_seed(5)
    local expected = {draw(), draw(), draw(), draw()}
    cuda.manual_seed(5)
    for i = 1, 3 do
      graph:replay()
      same(expected[i], drawn)
    end
    same(expected[4], draw())
    cuda.manual_seed(5)
    same(expected[1], draw())
    graph:replay()
    same(expected[2], drawn)
    local state = cuda.get_rng_state()
    graph:replay()
    local third = drawn:clone()
    cuda.set_rng_state(state)
    graph:replay()
    same(third, drawn)
    same(expected[3], drawn)
  end)

  it("decide what attention drops, forward and backward", function()
    local q, k, slope = torch.randn(1, 2, 40, 64):half():cuda(), torch.randn(1, 2, 64, 64):half():cuda(), torch.randn(1, 2, 40, 64):half():cuda()
    local value = torch.eye(64):half():cuda():expand(1, 2, 64, 64):contiguous():requires_grad_() -- the output is the weights
    local function forward() return F.scaled_dot_product_attention(q, k, value, {dropout_p = 0.4}) end
    local function backward(weights) return (torch.autograd.grad(weights, {value}, {slope})) end
    local function step()
      local weights = forward()
      return weights, backward(weights)
    end
    warm_up(step)
    local whole, weights, gradient = captured(step)
    cuda.manual_seed(9)
    local eager = {}
    for i = 1, 3 do eager[i] = {step()} end
    cuda.manual_seed(9)
    for i = 1, 2 do
      whole:replay()
      same(eager[i][1], weights)
      same(eager[i][2], gradient)
      assert.is_true(torch.allclose(weights:transpose(-2, -1):matmul(slope), gradient, {atol = 2e-2}))
    end
    assert.is_false(torch.equal(eager[1][1]:eq(0), eager[2][1]:eq(0)))
    same(eager[3][1], forward())

    local first, kept = captured(forward)
    local second, apart = captured(function() return backward(kept) end, {pool = first:pool()})
    cuda.manual_seed(9)
    for i = 1, 2 do
      first:replay()
      second:replay()
      same(eager[i][1], kept)
      same(eager[i][2], apart)
    end
  end)

  it("come from any generator", function()
    local g = torch.Generator{device = "cuda"}
    g:manual_seed(3)
    local graph, x = captured(function() return torch.rand{5, device = "cuda", generator = g} end)
    graph:register_generator_state(g)
    graph:replay()
    local first = x:clone()
    graph:replay()
    assert.is_false(torch.equal(first, x))
    g:manual_seed(3)
    graph:replay()
    same(first, x)
    g = nil
    collectgarbage()
    collectgarbage()
    graph:replay() -- goes on from the position on the card
    assert.is_false(torch.equal(first, x))
    fails("a graph draws from generators of GPUs only", graph.register_generator_state, graph, torch.Generator())
  end)
end)

gpus.with_one("what a capture forbids", function()
  local x = torch.ones(4, {device = "cuda"})
  local cases = {
    item = function() return x:sum():item() end,
    synchronize = function() cuda.synchronize() end,
    to = function() return torch.ones(3):to("cuda") end,
    nonzero = function() return x:nonzero() end,
    inv = function() return torch.linalg.inv(torch.ones(1, 1, {device = "cuda"})) end,
  }
  it("may be a copy of much of the host's memory, which would be read again at each replay", function()
    local much = torch.ones(100000)
    fails(FORBIDDEN, cuda.graph, cuda.CUDAGraph(), function() return much:to("cuda") end)
    same(much, much:to("cuda"))
  end)

  for name, f in pairs(cases) do
    it("is an error that names it: " .. name, function()
      local graph = cuda.CUDAGraph()
      local hint = fails(FORBIDDEN, cuda.graph, graph, f)
      assert.is_truthy(hint:find("^" .. name .. " needs "), hint)
      assert.is_false(cuda.is_current_stream_capturing())
      assert.are.equal(cuda.default_stream(), cuda.current_stream())
      fails("Called CUDAGraph::replay without a preceding successful capture.", graph.replay, graph)
      f()
      local y
      cuda.graph(graph, function() y = x * 2 end)
      graph:replay()
      same(x * 2, y)
    end)
  end

  it("ends the capture, also of calls", function()
    local graph, side = cuda.CUDAGraph(), cuda.Stream()
    cuda.stream(side, function()
      graph:capture_begin()
      local y = x + 1
      fails(FORBIDDEN, y.cpu, y)
      assert.is_false(cuda.is_current_stream_capturing())
      fails("CUDA error: operation failed due to a previous error during capture", graph.capture_end, graph)
      same(torch.full({4}, 3), x * 3)
    end)
    cuda.stream(side, function()
      graph:capture_begin()
      fails("a capture is under way: there may be only one at a time", cuda.CUDAGraph().capture_begin, cuda.CUDAGraph())
      graph:reset()
      assert.is_false(cuda.is_current_stream_capturing())
    end)
  end)

  it("does not count a script's own error", function()
    local graph = cuda.CUDAGraph()
    assert.is_false((pcall(cuda.graph, graph, function()
      x:add_(1)
      error "mine"
    end)))
    same(torch.ones(4), x)
    fails("Called CUDAGraph::replay without a preceding successful capture.", graph.replay, graph)
    cuda.graph(graph, function()
      assert.is_false((pcall(function() return x:matmul(torch.ones(3, {device = "cuda"})) end)))
      x:add_(1)
    end)
    graph:replay()
    same(torch.full({4}, 2), x)
    x:fill_(1)
  end)

  it("may be a wait in a call of a library", function()
    local a = torch.eye(64, {device = "cuda"})
    torch.linalg.eigh(a)
    local hint = fails(FORBIDDEN, captured, function() return torch.linalg.eigh(a) end)
    assert.is_truthy(hint:find("eigh needs ", 1, true), hint)
    assert.is_false(cuda.is_current_stream_capturing())
    same(torch.ones(64), (torch.linalg.eigh(a)))
  end)

  it("does not end it by collecting garbage", function()
    local graph, y = cuda.CUDAGraph()
    local side = cuda.Stream()
    local garbage = {}
    for i = 1, 20 do garbage[i] = torch.ones(1000, {device = "cuda"}) end
    for i = 1, 3 do garbage[#garbage + 1] = captured(function() return garbage[i] * 2 end) end
    garbage[1]:record_stream(side)
    garbage[#garbage + 1] = torch.ones(10):pin_memory()
    garbage[#garbage + 1] = cuda.MemPool()
    garbage[#garbage + 1] = side:record_event()
    cuda.graph(graph, function()
      y = x * 2
      garbage = nil
      collectgarbage()
      collectgarbage()
      y = y + 1
      cuda.empty_cache()
    end)
    graph:replay()
    same(x * 2 + 1, y)
  end)
end)

gpus.with_one("a graph in a loop of a program", function()
  it("is collected with its memory", function()
    collectgarbage()
    collectgarbage()
    cuda.empty_cache()
    local before = cuda.memory_reserved()
    do
      local x = torch.ones(1 << 20, {device = "cuda"})
      local graph, y = captured(function() return (x * 2 + 1):relu() end)
      graph:replay()
      same(torch.full({4}, 3), y[":4"])
    end
    collectgarbage()
    collectgarbage()
    cuda.empty_cache()
    assert.are.equal(before, cuda.memory_reserved())
  end)
end)

gpus.with_cache("the memory of a capture", function()
  it("is a pool's, and used again within it", function()
    cuda.empty_cache()
    local x = torch.ones(1 << 20, {device = "cuda"})
    local start = cuda.memory_reserved()
    local graph, y = captured(function()
      local out = x
      for i = 1, 20 do
        local more = out * 1.5
        if i > 1 then out:free() end
        out = more
      end
      return out
    end)
    local taken = cuda.memory_reserved() - start
    assert.is_true(taken <= 22 << 20, taken) -- a segment for two tensors of 4 MiB, and one for the positions of generators
    local held = cuda.memory_reserved()
    cuda.empty_cache()
    assert.are.equal(held, cuda.memory_reserved())
    local other = torch.full({1 << 20}, 7, {device = "cuda"}) -- takes no memory of the pool
    graph:replay()
    same(torch.full({1 << 20}, 7), other)
    assert.is_true(torch.allclose(y, x * 1.5 ^ 20))
    local second, z = captured(function() return y + x end, {pool = graph:pool()})
    graph:replay()
    second:replay()
    assert.is_true(torch.allclose(z, y + x))
    assert.is_false(graph:pool() == captured(function() return x * 2 end):pool())
    graph:reset()
    cuda.empty_cache()
    second:replay() -- its pool is still there
    assert.is_true(torch.allclose(z, y + x))
  end)

  it("of a MemPool serves what is allocated in its block", function()
    local pool = cuda.MemPool()
    assert.are.equal(1, pool:use_count())
    assert.is_truthy(tostring(pool.id):find "^%(0, %d+%)$")
    local a
    do
      local _ <close> = cuda.use_mem_pool(pool)
      assert.are.equal(2, pool:use_count())
      a = torch.ones(1 << 20, {device = "cuda"})
    end
    assert.are.equal(1, pool:use_count())
    local address = a:data_ptr()
    a:free()
    local b = torch.ones(1 << 20, {device = "cuda"})
    assert.are_not.equal(address, b:data_ptr())
    cuda.use_mem_pool(pool, function() assert.are.equal(address, torch.ones(1 << 20, {device = "cuda"}):data_ptr()) end)
    local graph = captured(function() b:add_(1) end, {pool = pool})
    assert.are.equal(pool.id, graph:pool())
    assert.are.equal(2, pool:use_count())
    fails("expected a torch.cuda.CUDAGraph, not NoneType", graph.replay)
    fails("MemPool: allocator is not supported", cuda.MemPool, {allocator = 3})
  end)

  -- Returns a free segment of the pool, of 64 MiB, and its address.
  local function fill(pool)
    return cuda.use_mem_pool(pool, function() return torch.zeros(1 << 24, {device = "cuda"}):data_ptr() end)
  end

  it("of a MemPool lends its memory to what would fail without it, if asked", function()
    local total = cuda.get_device_properties(0).total_memory
    for _, use_on_oom in ipairs{false, true} do
      torch._collect()
      cuda.empty_cache()
      local pool = cuda.MemPool{use_on_oom = use_on_oom}
      local address = fill(pool)
      torch._collect()
      cuda.set_per_process_memory_fraction((cuda.memory_reserved() + (1 << 20)) / total)
      local ok, x = pcall(torch.zeros, 1 << 24, {device = "cuda"})
      cuda.set_per_process_memory_fraction(1.)
      assert.are.equal(use_on_oom, ok)
      if ok then
        assert.are.equal(address, x:data_ptr())
        x:free()
        assert.are.equal(address, fill(pool))
      else
        assert.is_truthy(tostring(x):find("out of memory", 1, true))
      end
    end
  end)

  it("of a MemPool is not split, if asked", function()
    for _, no_split in ipairs{false, true} do
      local pool = cuda.MemPool{no_split = no_split}
      local address = fill(pool)
      torch._collect()
      cuda.use_mem_pool(pool, function()
        local x, y = torch.zeros(1 << 20, {device = "cuda"}), torch.zeros(1 << 20, {device = "cuda"})
        assert.are.equal(address, x:data_ptr())
        assert.are.equal(not no_split, y:data_ptr() - address == 4 << 20)
      end)
    end
  end)

  it("of a MemPool stays as long as a graph whose work took it", function()
    local graph, x, y = cuda.CUDAGraph(), torch.ones(1 << 20, {device = "cuda"}), nil
    local number
    do
      local pool = cuda.MemPool()
      number = pool.id[2]
      cuda.graph(graph, function() cuda.use_mem_pool(pool, function() y = (x + 1) * 2 end) end)
      assert.are.equal(2, pool:use_count())
    end
    torch._collect()
    torch._collect()
    cuda.empty_cache()
    assert.are.equal(1, torch._cuda.pool_users(number))
    graph:replay()
    same(torch.full({1 << 20}, 4), y)
    graph:reset()
    assert.are.equal(0, torch._cuda.pool_users(number))
  end)
end)

gpus.with_one("the handles of libraries", function()
  -- Each runs in a process whose first use of the library is in a capture.
  for library, expression in pairs{
      cuBLAS = "torch.ones(2, 4, {device = 'cuda'}):matmul(x)", cuSOLVER = "(torch.linalg.cholesky_ex(x))",
      ["cuBLAS beside cuSOLVER"] = "torch.linalg.solve_triangular(x, x * 2, {upper = true})",
      cuDNN = "F.conv2d(x:view(1, 1, 4, 4), torch.ones(1, 1, 3, 3, {device = 'cuda'}))"} do
    it("can be made in a capture: " .. library, function()
      gpus.prints("True\n", "TOCHA_SIMULATOR_FAULTS=1", ([[
        local torch = require "torch"
        local F = torch.nn.functional
        local x = torch.eye(4, {device = "cuda"})
        local function f() return %s end
        local graph, y = torch.cuda.CUDAGraph()
        torch.cuda.graph(graph, function() y = f() end)
        x:mul_(4)
        graph:replay()
        print(torch.allclose(y, f()) and "True" or tostring(y))
      ]]):format(expression))
    end)
  end
end)
