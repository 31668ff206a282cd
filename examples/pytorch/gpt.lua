-- gpt.lua: a GPT that reads and writes characters.
--
--   tocha examples/pytorch/gpt.lua [text.txt [steps]]
local torch = require "torch"
local nn, F, optim = torch.nn, torch.nn.functional, torch.optim

local block_size, batch_size, n_embd, n_head, n_layer, dropout = 32, 16, 32, 4, 2, 0.1
local max_iters = tonumber(arg and arg[2]) or 30

torch.manual_seed(1337)
local file <close> = assert(io.open(arg and arg[1] or "examples/pytorch/data/sonnets.txt"))
local text = file:read "a"

-- here are all the unique characters that occur in this text
local chars, stoi = {}, {}
for c in text:gmatch "." do
  if not stoi[c] then
    stoi[c] = true
    chars[#chars + 1] = c
  end
end
table.sort(chars)
for i, c in ipairs(chars) do stoi[c] = i - 1 end
local vocab_size = #chars

local function encode(s)
  local ids = {}
  for c in s:gmatch "." do ids[#ids + 1] = stoi[c] end
  return ids
end

local function decode(ids)
  local out = {}
  for i, id in ipairs(ids) do out[i] = chars[id + 1] end
  return table.concat(out)
end

local data = torch.tensor(encode(text), {dtype = torch.long})
local n = #data * 9 // 10
local train_data, val_data = data[":" .. n], data[n .. ":"]

-- a batch of inputs x and targets y
local function get_batch(split)
  local source = split == "train" and train_data or val_data
  local xs, ys = {}, {}
  for k, i in ipairs(torch.randint(#source - block_size, {batch_size}):tolist()) do
    xs[k] = source[i .. ":" .. i + block_size]
    ys[k] = source[i + 1 .. ":" .. i + block_size + 1]
  end
  return torch.stack(xs), torch.stack(ys)
end

local CausalSelfAttention = nn.Module:extend "CausalSelfAttention"

function CausalSelfAttention:init()
  self.c_attn = nn.Linear(n_embd, 3 * n_embd)
  self.c_proj = nn.Linear(n_embd, n_embd)
  self.attn_dropout = nn.Dropout(dropout)
  self.resid_dropout = nn.Dropout(dropout)
  self:register_buffer("mask", torch.tril(torch.ones(block_size, block_size)):view(1, 1, block_size, block_size))
end

function CausalSelfAttention:forward(x)
  local B, T, C = x:size():unpack()
  local q, k, v = table.unpack(self.c_attn(x):split(n_embd, {dim = 2}))
  k = k:view(B, T, n_head, C // n_head):transpose(1, 2)      -- (B, nh, T, hs)
  q = q:view(B, T, n_head, C // n_head):transpose(1, 2)
  v = v:view(B, T, n_head, C // n_head):transpose(1, 2)
  local att = q:matmul(k:transpose(-2, -1)) * (1.0 / math.sqrt(k:size(-1)))
  att = att:masked_fill(self.mask[{":", ":", ":" .. T, ":" .. T}]:eq(0), -math.huge)
  att = self.attn_dropout(F.softmax(att, {dim = -1}))
  local y = att:matmul(v):transpose(1, 2):contiguous():view(B, T, C)
  return self.resid_dropout(self.c_proj(y))
end

local Block = nn.Module:extend "Block"

function Block:init()
  self.ln_1 = nn.LayerNorm(n_embd)
  self.attn = CausalSelfAttention()
  self.ln_2 = nn.LayerNorm(n_embd)
  self.mlp = nn.Sequential(
    nn.Linear(n_embd, 4 * n_embd),
    nn.GELU(),
    nn.Linear(4 * n_embd, n_embd),
    nn.Dropout(dropout))
end

function Block:forward(x)
  x = x + self.attn(self.ln_1(x))
  x = x + self.mlp(self.ln_2(x))
  return x
end

local GPT = nn.Module:extend "GPT"

function GPT:init()
  self.transformer = nn.ModuleDict{
    {"wte", nn.Embedding(vocab_size, n_embd)},
    {"wpe", nn.Embedding(block_size, n_embd)},
    {"drop", nn.Dropout(dropout)},
    {"h", nn.ModuleList{Block(), Block()}},
    {"ln_f", nn.LayerNorm(n_embd)},
  }
  self.lm_head = nn.Linear(n_embd, vocab_size, {bias = false})
  self.transformer.wte.weight = self.lm_head.weight          -- weight tying
  self:apply(function(module) self:_init_weights(module) end)
  for pn, p in self:named_parameters() do
    if pn:find "c_proj%.weight$" then nn.init.normal_(p, {mean = 0.0, std = 0.02 / math.sqrt(2 * n_layer)}) end
  end
end

function GPT:_init_weights(module)
  if module:isinstance(nn.Linear) then
    nn.init.normal_(module.weight, {mean = 0.0, std = 0.02})
    if module.bias then nn.init.zeros_(module.bias) end
  elseif module:isinstance(nn.Embedding) then
    nn.init.normal_(module.weight, {mean = 0.0, std = 0.02})
  end
end

function GPT:forward(idx, targets)
  local _, t = idx:size():unpack()
  local pos = torch.arange(0, t, {dtype = torch.long})
  local x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
  for _, block in pairs(self.transformer.h) do x = block(x) end
  x = self.transformer.ln_f(x)
  local logits = self.lm_head(x)
  local loss = targets and F.cross_entropy(logits:view(-1, logits:size(-1)), targets:view(-1))
  return logits, loss
end

function GPT:generate(idx, max_new_tokens, temperature)
  local _ <close> = torch.no_grad()
  for _ = 1, max_new_tokens do
    local idx_cond = idx[{":", -block_size .. ":"}]          -- crop to the last block_size tokens
    local logits = self(idx_cond)[":, -1, :"] / temperature
    local probs = F.softmax(logits, {dim = -1})
    local idx_next = torch.multinomial(probs, {num_samples = 1})
    idx = torch.cat({idx, idx_next}, {dim = 1})
  end
  return idx
end

local model = GPT()
local count = 0
for p in model:parameters() do count = count + p:numel() end
print(model)
print(count .. " parameters")

-- weight decay for matrices only
local decay, no_decay = {}, {}
for p in model:parameters() do
  table.insert(p:dim() >= 2 and decay or no_decay, p)
end
local optimizer = optim.AdamW({{params = decay, weight_decay = 0.1}, {params = no_decay, weight_decay = 0.0}}, {lr = 1e-3, betas = {0.9, 0.95}})
local scheduler = optim.lr_scheduler.LambdaLR(optimizer, function(it) return math.min(1, (it + 1) / 10) end)

local function estimate_loss()
  model:eval()
  local losses = torch.zeros(4)
  torch.no_grad(function()
    for k = 0, 3 do
      local _, loss = model(get_batch "val")
      losses[k] = loss:item()
    end
  end)
  model:train()
  return losses:mean()
end

for iter = 1, max_iters do
  local xb, yb = get_batch "train"
  local _, loss = model(xb, yb)
  optimizer:zero_grad{set_to_none = true}
  loss:backward()
  local norm = nn.utils.clip_grad_norm_(model:parameters(), 1.0)
  optimizer:step()
  scheduler:step()
  print(torch.format("iter %d: loss %.6f, norm %.4f", iter, loss, norm))
end
print(torch.format("val loss %.5f", estimate_loss()))
model:eval()
local context = torch.tensor({encode "Love"}, {dtype = torch.long})
print(#decode(model:generate(context, 40, 0.8)[0]:tolist()) .. " characters")
