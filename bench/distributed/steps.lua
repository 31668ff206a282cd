-- steps.lua: records what DistributedDataParallel sends in a step: its buckets, and when backward has filled each of them. The backend `fake` answers for
-- the other ranks, so one process is enough and nothing waits.
local torch = require "torch"
local nn, F, dist = torch.nn, torch.nn.functional, torch.distributed

local steps = {}

--- Returns {seconds, buckets}, as costs.replay takes it, of the shortest of some steps. A step is forward and backward: run(net) makes the loss. clock:
-- os.clock (the default) counts the process's own time, which other processes do not disturb.
function steps.record(net, run, options)
  options = options or {}
  local clock, started, buckets, best = options.clock or os.clock, nil, nil, nil
  local ddp = nn.parallel.DistributedDataParallel(net, {bucket_cap_mb = options.bucket_cap_mb, gradient_as_bucket_view = true})
  ddp:register_comm_hook(nil, function(_, bucket)
    local buffer = bucket:buffer()
    buckets[#buckets + 1] = {bytes = buffer:numel() * buffer:element_size(), ready = clock() - started}
    return dist.all_reduce(buffer, {async_op = true}):get_future()
  end)
  for step = 0, options.steps or 3 do   -- the buckets of step 0 are PyTorch's first ones, which later steps do not have
    net:zero_grad()
    started, buckets = clock(), {}
    run(ddp):backward()
    local seconds = clock() - started
    if step > 0 and (not best or seconds < best.seconds) then best = {seconds = seconds, buckets = buckets} end
  end
  return best
end

local GPT = nn.Module:extend "GPT"

-- GPT-2 of 124 million parameters; the head's weight is the embedding's.
function GPT:init()
  self.tokens = nn.Embedding(50257, 768)
  self.places = nn.Embedding(1024, 768)
  self.blocks = nn.ModuleList()
  for _ = 1, 12 do
    self.blocks:append(nn.TransformerEncoderLayer(768, 12, 3072, {dropout = 0, activation = "gelu", batch_first = true, norm_first = true}))
  end
  self.norm = nn.LayerNorm(768)
end

function GPT:forward(x)
  local length = x:size(1)
  local mask = nn.Transformer.generate_square_subsequent_mask(length)
  local y = self.tokens(x) + self.places(torch.arange(length))
  for _, block in pairs(self.blocks) do y = block(y, {src_mask = mask, is_causal = true}) end
  return F.linear(self.norm(y), self.tokens.weight)
end

local function resnet()
  local images, classes = torch.randn(2, 3, 224, 224), torch.randint(1000, {2})
  return steps.record(torch.vision.models.resnet50(), function(net) return F.cross_entropy(net(images), classes) end)
end

local function gpt()
  local tokens = torch.randint(50257, {1, 129})
  local inputs, targets = tokens[{":", ":-1"}], tokens[{":", "1:"}]
  return steps.record(GPT(), function(net) return F.cross_entropy(net(inputs):flatten(0, 1), targets:flatten()) end)
end

--- The networks of the tables. record() returns a step of this processor; `seconds` is the step on a GPU for which the table is made: of ResNet-50 (32
-- images on a GPU of 2017), and of GPT-2 with 8,192 tokens of 6 x 124e6 operations each at 60 TFLOP/s.
steps.networks = {{name = "ResNet-50", record = resnet, seconds = 0.105}, {name = "GPT-2 (124M)", record = gpt, seconds = 0.102}}

return steps
