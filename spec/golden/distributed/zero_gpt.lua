-- ranks: 2 3
-- A small GPT with shared weights under DistributedDataParallel and ZeroRedundancyOptimizer over AdamW: losses, parameters, and the states that
-- rank 0 gathers. Biases of keys are left out: their gradients are nothing but rounding, and Adam makes steps of them.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local F = nn.functional
dist.init_process_group "gloo"
local rank = dist.get_rank()
local WIDTH, HEADS, LENGTH, WORDS = 16, 2, 8, 13

local Block = nn.Module:extend "Block"
function Block:init()
  self.ln1 = nn.LayerNorm(WIDTH)
  self.attn = nn.Linear(WIDTH, 3 * WIDTH, {bias = false})
  self.proj = nn.Linear(WIDTH, WIDTH)
  self.ln2 = nn.LayerNorm(WIDTH)
  self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
end
function Block:forward(x)
  local batch = x.shape[0]
  local qkv = self.attn(self.ln1(x)):view(batch, LENGTH, 3, HEADS, WIDTH // HEADS):permute(2, 0, 3, 1, 4)
  local y = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {is_causal = true})
  x = x + self.proj(y:transpose(1, 2):reshape(batch, LENGTH, WIDTH))
  return x + self.mlp(self.ln2(x))
end

local GPT = nn.Module:extend "GPT"
function GPT:init()
  self.wte = nn.Embedding(WORDS, WIDTH)
  self.wpe = nn.Embedding(LENGTH, WIDTH)
  self.h = nn.ModuleList{Block(), Block()}
  self.ln = nn.LayerNorm(WIDTH)
  self.head = nn.Linear(WIDTH, WORDS, {bias = false})
  self.head.weight = self.wte.weight
end
function GPT:forward(words)
  local x = self.wte(words) + self.wpe(torch.arange(LENGTH))
  for i = 0, 1 do x = self.h[i](x) end
  return self.head(self.ln(x))
end

for _, views in ipairs{false, true} do
  torch.manual_seed(42)
  local model = GPT()
  local ddp = nn.parallel.DistributedDataParallel(model, {gradient_as_bucket_view = views})
  local optimizer = dist.optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.AdamW, lr = 1e-2, weight_decay = 0.1,
    parameters_as_bucket_view = views})
  for step = 0, 5 do
    torch.manual_seed(step * 100 + rank)
    local words = torch.randint(0, WORDS, {4, LENGTH + 1})
    local loss = F.cross_entropy(ddp(words[{":", ":-1"}]):reshape(-1, WORDS), words[{":", "1:"}]:reshape(-1))
    optimizer:zero_grad()
    loss:backward()
    nn.utils.clip_grad_norm_(model:parameters(), 1.0)
    optimizer:step()
    print(("%.4f"):format(loss:item()))
  end
  optimizer:consolidate_state_dict(0)
  if rank == 0 then
    local saved = optimizer:state_dict()
    for i = 0, 7 do print(i, ("%.4f"):format(saved.state[i].exp_avg:double():abs():sum():item()), saved.state[i].step) end
  end
  for name, value in pairs(model:state_dict()) do print(name, ("%.3f"):format(value:double():sum():item())) end
end
dist.destroy_process_group()
