-- torch.utils.data: what spec/golden does not ask PyTorch: errors, loops left early, streams, fast and
-- general batches alike.
local torch = require "torch"
local data = torch.utils.data

local function first_line(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  return (tostring(problem):match "^[^\n]*")
end

local function batches(loader)
  local list = {}
  for x in loader do list[#list + 1] = tostring(x) end
  return list
end

describe("datasets", function()
  it("say what PyTorch says of mistakes", function()
    assert.are.equal("Size mismatch between tensors", first_line(data.TensorDataset, torch.ones(2), torch.ones(3)))
    assert.are.equal("Sum of input lengths does not equal the length of the input dataset!",
      first_line(data.random_split, {1, 2, 3}, {1, 1}))
    assert.are.equal("Fraction at index 0 is not between 0 and 1", first_line(data.random_split, {1, 2}, {-0.5, 1.5}))
    assert.are.equal("datasets should not be an empty iterable", first_line(data.ConcatDataset, {}))
    local Set = data.Dataset:extend "Set"
    assert.are.equal("Subclasses of Dataset should implement __getitem__.", first_line(function() return Set()[0] end))
    assert.are.equal("object of type 'Set' has no len()", first_line(function() return #Set() end))
    assert.are.equal("index 3 is out of bounds for dimension 0 with size 3",
      first_line(function() return data.TensorDataset(torch.ones(3))[3] end))
    assert.are.equal("list index out of range", first_line(function() return data.Subset({1, 2}, {0})[1] end))
  end)

  it("may be plain tables and tensors", function()
    assert.are.same({"tensor([5, 6])", "tensor([7])"}, batches(data.DataLoader({5, 6, 7}, {batch_size = 2})))
    assert.are.same({"tensor([[0, 1]])", "tensor([[2, 3]])"}, batches(data.DataLoader(torch.arange(4):reshape(2, 2))))
  end)

  it("walk with pairs from 0", function()
    local seen = {}
    for i, sample in pairs(data.TensorDataset(torch.arange(3) * 2)) do seen[#seen + 1] = i .. ":" .. sample[1] end
    assert.are.same({"0:0", "1:2", "2:4"}, seen)
  end)

  it("go on in classes derived from them", function()
    local Scaled = data.TensorDataset:extend "Scaled"
    function Scaled:getitem(i) return self.tensors[1][i] * 10 end
    local set = Scaled(torch.arange(3))
    assert.is_true(set:isinstance(data.TensorDataset) and set:isinstance(Scaled) and not set:isinstance(data.Subset))
    assert.are.same({"tensor([ 0, 10])", "tensor([20])"}, batches(data.DataLoader(set, {batch_size = 2})))
    assert.are.same({"tensor([20,  0])"}, batches(data.DataLoader(data.Subset(set, {2, 0}), {batch_size = 2})))
  end)

  it("stack and chain", function()
    local stacked = data.StackDataset{x = data.TensorDataset(torch.arange(2)), y = {7, 8}}
    assert.are.equal(8, stacked[1].y)
    assert.are.equal("Size mismatch between datasets", first_line(data.StackDataset, {1}, {1, 2}))
    local Stream = data.IterableDataset:extend "Stream"
    function Stream:init(n) self.n = n end
    function Stream:iter()
      return coroutine.wrap(function() for i = 1, self.n do coroutine.yield(i) end end)
    end
    assert.are.same({"tensor([1, 2])", "tensor([1, 2])", "tensor([3])"},
      batches(data.DataLoader(Stream(2) + Stream(3), {batch_size = 2})))
    assert.are.same({"tensor([1, 2])"}, batches(data.DataLoader(Stream(3), {batch_size = 2, drop_last = true})))
  end)
end)

describe("DataLoader", function()
  it("says what PyTorch says of mistakes", function()
    local set = data.TensorDataset(torch.arange(4))
    assert.are.equal("DataLoader.__init__() missing 1 required positional argument: 'dataset'",
      first_line(data.DataLoader))
    assert.are.equal("batch_size should be a positive integer value, but got batch_size=0",
      first_line(data.DataLoader, set, {batch_size = 0}))
    assert.are.equal("num_samples should be a positive integer value, but got num_samples=0",
      first_line(data.DataLoader, {}, {shuffle = true}))
    assert.are.equal("sampler option is mutually exclusive with shuffle",
      first_line(data.DataLoader, set, {sampler = {1}, shuffle = true}))
    assert.are.equal("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.",
      first_line(data.DataLoader, set, {num_workers = -1}))
    local _, problem = pcall(data.DataLoader, set, {batchsize = 2})
    assert.is_truthy(tostring(problem):find("unexpected keyword argument 'batchsize'", 1, true))
    assert.is_truthy(tostring(problem):find("did you mean 'batch_size'?", 1, true))
    local uneven = data.DataLoader({torch.ones(2), torch.ones(3)}, {batch_size = 2})
    assert.are.equal("stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
      first_line(function() for _ in uneven do error "not reached" end end))
  end)

  it("keeps nested loops apart, those with numbers too", function()
    local loader = data.DataLoader({1, 2, 3}, {collate_fn = function(samples) return samples[1] end})
    local seen = {}
    for a in loader do
      for b in loader do
        seen[#seen + 1] = a .. b
        if b == 2 then break end
      end
    end
    assert.are.same({"11", "12", "21", "22", "31", "32"}, seen)
  end)

  it("gives tables of texts and of named parts", function()
    for names in data.DataLoader({"a", "b"}, {batch_size = 2}) do assert.are.same({"a", "b"}, names) end
    for batch in data.DataLoader({{x = 1, name = "p"}, {x = 2, name = "q"}}, {batch_size = 2}) do
      assert.are.equal("tensor([1, 2])", tostring(batch.x))
      assert.are.same({"p", "q"}, batch.name)
    end
  end)

  it("draws the same with rows taken at once and one by one", function()
    local set = data.TensorDataset(torch.arange(11), torch.arange(11) * 2)
    local part = data.Subset(set, {10, 3, 5, 7, 2})
    local function one_by_one(samples) return data.default_collate(samples) end
    for _, source in ipairs{set, part} do
      for _, drop_last in ipairs{true, false} do
        for _, own in ipairs{true, false} do
          local results = {}
          for way, collate_fn in ipairs{false, one_by_one} do
            torch.manual_seed(5)
            local generator = own and torch.Generator():manual_seed(3) or nil
            local loader = data.DataLoader(source, {batch_size = 4, shuffle = true, drop_last = drop_last,
              collate_fn = collate_fn or nil, generator = generator})
            results[way] = {}
            for _ = 1, 2 do
              for x, y in loader do table.insert(results[way], tostring(x) .. " " .. tostring(y)) end
            end
            table.insert(results[way], tostring(torch.rand(2)))
            if generator then table.insert(results[way], tostring(torch.rand(2, {generator = generator}))) end
          end
          assert.are.same(results[2], results[1])
        end
      end
    end
  end)

  it("shows a first batch", function()
    local x, y = data.DataLoader(data.TensorDataset(torch.arange(4), torch.ones(4)), {batch_size = 3}):first()
    assert.are.equal("tensor([0, 1, 2]) tensor([1., 1., 1.])", tostring(x) .. " " .. tostring(y))
  end)

  it("leaves the data alone when a batch is changed", function()
    local x = torch.arange(4)
    for batch in data.DataLoader(data.TensorDataset(x), {batch_size = 2}) do batch:zero_() end
    assert.are.equal("tensor([0, 1, 2, 3])", tostring(x))
  end)
end)

describe("torch.tqdm", function()
  it("goes through what it is given", function()
    local seen = {}
    for i in torch.tqdm(3) do seen[#seen + 1] = i end
    for k, v in torch.tqdm(ipairs{"a"}) do seen[#seen + 1] = k .. v end
    for x in torch.tqdm(data.DataLoader({5, 6, 7}), {desc = "epoch"}) do
      seen[#seen + 1] = tostring(x)
      if #seen == 6 then break end
    end
    for i, x in torch.tqdm(data.DataLoader({7}):enumerate()) do seen[#seen + 1] = i .. tostring(x) end
    assert.are.same({0, 1, 2, "1a", "tensor([5])", "tensor([6])", "0tensor([7])"}, seen)
  end)

  it("draws a bar", function()
    local bar = torch.tqdm{{1, 2, 3, 4}, desc = "x", disable = true}
    bar:update(2)
    bar:set_postfix{loss = torch.tensor(0.5), lr = 0.001}
    local text = bar:text(100)
    assert.is_truthy(text:find("x:  50%|███", 1, true) and text:find("  | 2/4", 1, true))
    assert.is_truthy(text:find "| 2/4 %[00:00<00:00,.*it/s, loss=0%.5, lr=0%.001%]$")
    assert.is_true(utf8.len(text) < 100)
  end)
end)

describe("a loader's state", function()
  local function all(loader, from)
    local out = {}
    for x in loader do out[#out + 1] = tostring(x) end
    return table.move(out, (from or 0) + 1, #out, 1, {})
  end

  local Squares = data.Dataset:extend "Squares"
  function Squares:__len() return 23 end -- luacheck: ignore 212
  function Squares:getitem(i) return torch.tensor(i * i) end -- luacheck: ignore 212
  local Stream = data.IterableDataset:extend "Stream"
  function Stream:iter() -- luacheck: ignore 212
    local i = 0
    return function()
      i = i + 1
      if i < 20 then return torch.tensor(i) end
    end
  end

  local kinds = {
    {"tensors in order", data.TensorDataset(torch.arange(23)), {batch_size = 4}},
    {"shuffled tensors", data.TensorDataset(torch.arange(23)), {batch_size = 4, shuffle = true}},
    {"shuffled samples", Squares(), {batch_size = 4, shuffle = true}},
    {"a stream", Stream(), {batch_size = 3}},
    {"weights", Squares(), {batch_size = 5, sampler = data.WeightedRandomSampler(torch.ones(23), 40)}},
  }
  for _, kind in ipairs(kinds) do
    for _, own in ipairs(kind[3].sampler and {false} or {false, true}) do
      it("goes on where it was: " .. kind[1] .. (own and ", own generator" or ""), function()
        local function make()
          local options = {}
          for key, value in pairs(kind[3]) do options[key] = value end
          if own then options.generator = torch.Generator():manual_seed(5) end
          return data.DataLoader(kind[2], options)
        end
        torch.manual_seed(3)
        local whole = make()
        local first, second = all(whole, 2), all(whole)
        torch.manual_seed(3)
        local loader, seen, state, generator = make(), 0, nil, nil
        for _ in loader do
          seen = seen + 1
          if seen == 2 then
            state, generator = loader:state_dict(), torch.get_rng_state()
            break
          end
        end
        assert.equal(2, state.batches)
        torch.manual_seed(99)
        local other = make()
        other:load_state_dict(state)
        torch.set_rng_state(generator)
        assert.same(first, all(other))
        assert.equal(0, other:state_dict().batches)
        assert.same(second, all(other))
      end)
    end
  end
end)

describe("what fails leaves the generator as it was:", function()
  local function check(f)
    torch.manual_seed(8)
    local before = torch.get_rng_state()
    assert.is_false(pcall(f))
    assert.is_true(torch.equal(before, torch.get_rng_state()))
  end
  it("a pass that is taken up again", function()
    local Broken = data.IterableDataset:extend "Broken"
    function Broken.iter() return function() torch.rand(3) error "no" end end
    local loader = data.DataLoader(Broken(), {batch_size = 2})
    loader:load_state_dict{batches = 1, generator = torch.Generator():manual_seed(1):get_state()}
    check(function() for _ in loader do end end)
  end)

  it("an image of FakeData", function()
    local set = torch.vision.datasets.FakeData(5)
    set.image_size = {-3}
    check(function() return set[0] end)
  end)
end)

describe("torch.datasets", function()
  it("takes tensors where make_blobs takes lists", function()
    local counts, centers, deviations = {3, 5}, {{0.0, 1.0}, {4.0, 5.0}}, {0.5, 2.0}
    local x, y = torch.datasets.make_blobs(counts, {centers = centers, cluster_std = deviations, random_state = 1})
    local function tensor(list) return torch.tensor(list, {dtype = torch.float64}) end
    local u, v = torch.datasets.make_blobs(torch.tensor(counts), {centers = tensor(centers), cluster_std = tensor(deviations), random_state = 1})
    assert.is_true(x:equal(u) and y:equal(v))
    assert.equal(7, #torch.datasets.make_blobs(torch.tensor{3, 4}, 2))
  end)

  it("refuses more samples than memory holds at once", function()
    local d = torch.datasets
    for _, make in ipairs{function() return d.make_moons(1 << 60) end, function() return d.make_blobs{n_samples = {1 << 50, 2}} end,
      function() return d.make_blobs{n_samples = 10, centers = 1 << 60} end, function() return d.make_regression{n_targets = 1 << 60} end} do
      local ok, err = pcall(make)
      assert.is_false(ok)
      assert.truthy(tostring(err):find "can't allocate memory" or tostring(err):find "Storage size calculation overflowed")
    end
  end)
end)
