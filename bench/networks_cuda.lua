-- networks_cuda.lua: the Tocha side of the table for a GPU, networks of real size: a step of training on pictures of 224 x 224, and one token
-- of a language model. networks_cuda.py is the PyTorch side with the same cases. The small networks are in families_cuda.lua.
--   networks_cuda.lua [PATTERN]   see measuring_cuda.lua
local torch = require "torch"
local measuring = dofile "bench/measuring_cuda.lua"
local case, sized, rand, cuda = measuring.case, measuring.sized, measuring.rand, measuring.device
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional

-- ---- pictures ----

-- Adds a step of training. autocast: in bfloat16; rows: in channels_last.
local function train(name, make, autocast, rows)
  case(("train %s 224, b64, %s%s"):format(name, autocast and "bfloat16" or "float32", rows and ", channels_last" or ""), nil, function()
    local model = make():to(cuda)
    local x = rand(64, 3, 224, 224)
    local y = torch.randint(0, 1000, {64}, {device = cuda})
    if rows then
      model, x = model:to{memory_format = torch.channels_last}, x:contiguous{memory_format = torch.channels_last}
    end
    local optimizer = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
    torch.backends.cudnn.allow_tf32 = true   -- PyTorch's default
    return function()
      optimizer:zero_grad()
      local loss
      do
        local _ <close> = torch.autocast("cuda", {dtype = torch.bfloat16, enabled = autocast})
        loss = F.cross_entropy(model(x), y)
      end
      loss:backward()
      optimizer:step()
    end
  end)
end

if not measuring.small then
  local models = torch.vision.models
  train("ResNet-18", models.resnet18, false)
  train("ResNet-18", models.resnet18, true)
  train("ResNet-50", models.resnet50, true, true)
  train("MobileNetV2", models.mobilenet_v2, false)
end

-- ---- one token through twelve layers of width 768, with the keys and values of the tokens before it ----

local WIDTH, HEADS, LAYERS, TOKENS = sized(768, 32), sized(12, 2), sized(12, 2), sized(512, 8)
local Block = nn.Module:extend "Block"

function Block:init()
  self.norm1 = nn.LayerNorm(WIDTH)
  self.norm2 = nn.LayerNorm(WIDTH)
  self.attention = nn.Linear(WIDTH, 3 * WIDTH)
  self.projection = nn.Linear(WIDTH, WIDTH)
  self.up = nn.Linear(WIDTH, 4 * WIDTH)
  self.down = nn.Linear(4 * WIDTH, WIDTH)
  self:register_buffer("keys", torch.zeros(1, HEADS, TOKENS, WIDTH // HEADS))
  self:register_buffer("values", torch.zeros(1, HEADS, TOKENS, WIDTH // HEADS))
end

function Block:forward(x, place)
  local packed = self.attention(self.norm1(x)):view(1, 1, 3, HEADS, WIDTH // HEADS)
  local q, k, v = table.unpack(packed:transpose(1, 3):unbind(2))
  self.keys:index_copy_(2, place, k)
  self.values:index_copy_(2, place, v)
  local y = F.scaled_dot_product_attention(q, self.keys, self.values)
  x = x + self.projection(y:transpose(1, 2):reshape(1, 1, WIDTH))
  return x + self.down(F.gelu(self.up(self.norm2(x))))
end

case("decode a token, 12x768, 512 tokens before, bfloat16", nil, function()
  local blocks = {}
  for i = 1, LAYERS do blocks[i] = Block():to(cuda, torch.bfloat16) end
  local x, place = rand(1, 1, WIDTH):to(torch.bfloat16), torch.tensor({TOKENS - 1}, {device = cuda})
  return function()
    local _ <close> = torch.no_grad()
    local y = x
    for _, block in ipairs(blocks) do y = block(y, place) end
    return y
  end
end)

measuring.run(arg[1] or "")
