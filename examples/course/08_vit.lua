-- 08_vit.lua: the course's "paper replicating": a vision transformer, built layer by layer.
--
--   tocha examples/course/08_vit.lua
package.path = (arg and arg[0] or "examples/course/x"):match "^(.*)/[^/]*$" .. "/?.lua;" .. package.path
local torch = require "torch"
local vision = require "torchvision"
local data_setup = require "going_modular.data_setup"
local engine = require "going_modular.engine"
local nn = torch.nn

-- 1. An image becomes a sequence of patches.
local PatchEmbedding = nn.Module:extend "PatchEmbedding"

function PatchEmbedding:init(in_channels, patch_size, embedding_dim)
  self.patch_size = patch_size
  self.patcher = nn.Conv2d{in_channels = in_channels, out_channels = embedding_dim, kernel_size = patch_size, stride = patch_size, padding = 0}
  self.flatten = nn.Flatten{start_dim = 2, end_dim = 3}
end

function PatchEmbedding:forward(x)
  local image_resolution = x.shape[-1]
  assert(image_resolution % self.patch_size == 0, "Input image size must be divisible by patch size")
  return self.flatten(self.patcher(x)):permute(0, 2, 1)
end

-- 2. Multi-head self attention
local MultiheadSelfAttentionBlock = nn.Module:extend "MultiheadSelfAttentionBlock"

function MultiheadSelfAttentionBlock:init(embedding_dim, num_heads, attn_dropout)
  self.layer_norm = nn.LayerNorm{normalized_shape = embedding_dim}
  self.multihead_attn = nn.MultiheadAttention{embed_dim = embedding_dim, num_heads = num_heads, dropout = attn_dropout, batch_first = true}
end

function MultiheadSelfAttentionBlock:forward(x)
  x = self.layer_norm(x)
  local attn_output = self.multihead_attn{query = x, key = x, value = x, need_weights = false}
  return attn_output
end

-- 3. Multilayer perceptron
local MLPBlock = nn.Module:extend "MLPBlock"

function MLPBlock:init(embedding_dim, mlp_size, dropout)
  self.layer_norm = nn.LayerNorm{normalized_shape = embedding_dim}
  self.mlp = nn.Sequential(
    nn.Linear{in_features = embedding_dim, out_features = mlp_size},
    nn.GELU(),
    nn.Dropout{p = dropout},
    nn.Linear{in_features = mlp_size, out_features = embedding_dim},
    nn.Dropout{p = dropout}
  )
end

function MLPBlock:forward(x) return self.mlp(self.layer_norm(x)) end

-- 4. The encoder's block
local TransformerEncoderBlock = nn.Module:extend "TransformerEncoderBlock"

function TransformerEncoderBlock:init(embedding_dim, num_heads, mlp_size, mlp_dropout, attn_dropout)
  self.msa_block = MultiheadSelfAttentionBlock(embedding_dim, num_heads, attn_dropout)
  self.mlp_block = MLPBlock(embedding_dim, mlp_size, mlp_dropout)
end

function TransformerEncoderBlock:forward(x)
  x = self.msa_block(x) + x
  x = self.mlp_block(x) + x
  return x
end

-- 5. All of it
local ViT = nn.Module:extend "ViT"

function ViT:init(options)
  local o = {img_size = 32, in_channels = 3, patch_size = 8, layers = 2, dim = 32, mlp_size = 64, heads = 4, num_classes = 3}
  for name, value in pairs(options or {}) do o[name] = value end
  assert(o.img_size % o.patch_size == 0, "Image size must be divisible by patch size")
  local num_patches = o.img_size * o.img_size // (o.patch_size * o.patch_size)
  self.class_embedding = nn.Parameter(torch.randn(1, 1, o.dim), {requires_grad = true})
  self.position_embedding = nn.Parameter(torch.randn(1, num_patches + 1, o.dim), {requires_grad = true})
  self.embedding_dropout = nn.Dropout{p = 0.1}
  self.patch_embedding = PatchEmbedding(o.in_channels, o.patch_size, o.dim)
  local blocks = {}
  for i = 1, o.layers do blocks[i] = TransformerEncoderBlock(o.dim, o.heads, o.mlp_size, 0.1, 0.0) end
  self.transformer_encoder = nn.Sequential(table.unpack(blocks))
  self.classifier = nn.Sequential(
    nn.LayerNorm{normalized_shape = o.dim},
    nn.Linear{in_features = o.dim, out_features = o.num_classes}
  )
end

function ViT:forward(x)
  local batch_size = x.shape[0]
  local class_token = self.class_embedding:expand(batch_size, -1, -1)
  x = self.patch_embedding(x)
  x = torch.cat({class_token, x}, {dim = 1})
  x = self.position_embedding + x
  x = self.embedding_dropout(x)
  x = self.transformer_encoder(x)
  return self.classifier(x[":, 0"])
end

local root = os.tmpname()
os.remove(root)
data_setup.draw(root, {train = 16, test = 8})
local transform = vision.transforms.Compose{vision.transforms.Resize({32, 32}), vision.transforms.ToTensor()}
local train_dataloader, test_dataloader, class_names = data_setup.create_dataloaders(
  root .. "/train", root .. "/test", transform, transform, 8)

torch.manual_seed(42)
local vit = ViT{num_classes = #class_names}
print(vit)
local optimizer = torch.optim.Adam{params = vit:parameters(), lr = 3e-3, betas = {0.9, 0.999}, weight_decay = 0.3}
local loss_fn = nn.CrossEntropyLoss()
torch.manual_seed(42)
engine.train(vit, train_dataloader, test_dataloader, optimizer, loss_fn, 4, "cpu")
os.execute(("rm -r '%s'"):format(root))
