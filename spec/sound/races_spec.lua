-- races_spec.lua: a program that writes to the indices, masks, targets or counts of a data set while its workers use them. The
-- tensors of a data set are the program's own memory: such a call gives a result or an error, and neither reads nor writes
-- outside its tensors. (PyTorch's workers have copies; its kernels compare the very number that they use.)
local torch = require "torch"
local F, data = torch.nn.functional, torch.utils.data

local N, SECONDS = 20000, 0.4
local places = torch.zeros({N}, {dtype = torch.int64})
local mask = torch.zeros({N}, {dtype = torch.bool})
local short = places["0:1000"]
local values, table_, ones = torch.randn(1000), torch.randn(100, 8), torch.ones(N)

-- As they are named in the operators' messages.
local operators = {
  index_select = function() return values:index_select(0, places) end,
  gather = function() return values:gather(0, places) end,
  subscript = function() return values[places] end,
  several_subscripts = function() return table_[{places % 1 + places, places}] end,
  take = function() return values:take(places) end,
  take_along_dim = function() return torch.take_along_dim(values, places, 0) end,
  scatter = function() return torch.zeros(1000):scatter_(0, places, ones) end,
  scatter_add = function() return torch.zeros(1000):scatter_add_(0, places, ones) end,
  scatter_reduce = function() return torch.zeros(1000):scatter_reduce_(0, places, ones, "amax") end,
  index_add = function() return torch.zeros(1000):index_add_(0, places, ones) end,
  index_copy = function() return torch.zeros(1000):index_copy_(0, places, ones) end,
  index_fill = function() return torch.zeros(1000):index_fill_(0, places, 1) end,
  index_put = function() return torch.zeros(1000):index_put_({places}, ones, true) end,
  index_reduce = function() return torch.zeros(1000):index_reduce_(0, places, ones, "amax") end,
  put = function() return torch.zeros(1000):put_(places, ones) end,
  embedding = function() return F.embedding(places, table_) end,
  embedding_bag = function() return F.embedding_bag(short, table_, torch.tensor{0, 100}) end,
  embedding_bag_max = function() return F.embedding_bag(short, table_, torch.tensor{0, 100}, {mode = "max"}) end,
  bags = function() return F.embedding_bag(torch.zeros({1000}, {dtype = torch.int64}), table_, places["0:10"]) end,
  one_hot = function() return F.one_hot(short, 10) end,
  bincount = function() return torch.bincount(places % 1000) end,
  repeat_interleave = function() return torch.repeat_interleave(torch.zeros(1000), short % 3) end,
  cross_entropy = function() return F.cross_entropy(torch.zeros(1000, 10), short) end,
  nll_loss = function() return F.nll_loss(torch.zeros(1000, 10), short, {reduction = "none"}) end,
  multi_margin_loss = function() return F.multi_margin_loss(torch.zeros(1000, 10), short) end,
  multilabel_margin_loss = function() return F.multilabel_margin_loss(torch.zeros(100, 10), short:view(100, 10)) end,
  ctc_loss = function()
    local times = torch.full({8}, 50, {dtype = torch.int64})
    return F.ctc_loss(torch.zeros(50, 8, 10), places["0:80"]:view(8, 10), times, times / 5)
  end,
  target_lengths = function()
    return F.ctc_loss(torch.zeros(50, 8, 10), torch.ones({8, 10}, {dtype = torch.int64}), torch.full({8}, 50, {dtype = torch.int64}), places["0:8"])
  end,
  sorter = function() return torch.searchsorted(torch.zeros(1000), values, {sorter = short}) end,
  max_unpool1d = function() return F.max_unpool1d(torch.ones(1, 1, 100), places["0:100"]:view(1, 1, 100), 2) end,
  lengths = function() return torch.nn.utils.rnn.pack_padded_sequence(torch.ones(8, 4, 2), places["0:4"], {enforce_sorted = false}) end,
  lu_solve = function() return torch.linalg.lu_solve(torch.eye(100), places["0:100"]:int(), torch.ones(100, 1)) end,
  unique = function() return torch.unique(places) end,
  sort = function() return places:sort() end,
  topk = function() return places:topk(10) end,
  mode = function() return places:mode() end,
  median = function() return places:median() end,
  nonzero = function() return mask:nonzero() end,
  masked_select = function() return ones:masked_select(mask) end,
  mask = function() return ones[mask] end,
  masked_scatter = function() return torch.zeros(N):masked_scatter(mask, ones) end,
}

local Calls = data.Dataset:extend "Calls"
function Calls:__len() return 100000 end
function Calls:getitem()
  local done, strange = 0, 0
  for _, operator in pairs(operators) do
    local ok, result = pcall(operator)
    done = done + 1
    if not ok and type(result) ~= "string" and not tostring(result):find "%a" then strange = strange + 1 end
  end
  return torch.tensor{done, strange}
end

it("indices, masks and counts that change while workers use them", function()
  local count = 0
  for _ in pairs(operators) do count = count + 1 end
  local begin, batches = os.clock(), 0
  for batch in data.DataLoader(Calls(), {batch_size = 1, num_workers = 1}) do
    assert.are.same({count, 0}, batch[0]:tolist())
    batches = batches + 1
    if batches > 1 and os.clock() - begin > SECONDS * 10 then break end
    local now = os.clock()
    while os.clock() - now < SECONDS / 4 do
      places:fill_(1 << 33) mask:fill_(true)
      places:fill_(0) mask:fill_(false)
    end
  end
  assert(batches > 1)
end)

-- (spec/c/indices_test.c changes the count between the two passes for certain; here it may or may not happen.)
it("a count that changed between two passes is an error and nothing else", function()
  local Masks = data.Dataset:extend "Masks"
  function Masks:__len() return 100000 end
  function Masks:getitem()
    local ok, result = pcall(mask.nonzero, mask)
    local fine = ok and result.shape[1] == 1 or not ok and tostring(result):find("count mismatch", 1, true)
    return torch.tensor(fine and 1 or 0)
  end
  local begin = os.clock()
  for batch in data.DataLoader(Masks(), {batch_size = 1, num_workers = 1}) do
    assert.are.equal(1, batch:item())
    if os.clock() - begin > SECONDS then break end
    mask:fill_(true) mask:fill_(false)
  end
end)
