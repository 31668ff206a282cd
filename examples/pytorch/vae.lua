-- vae.lua: PyTorch's example "vae": a variational autoencoder of handwritten digits.
--
--   tocha examples/pytorch/vae.lua [picture.png]      where the digits that it dreams up are to be saved
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data

local VAE = nn.Module:extend "VAE"

function VAE:init()
  self.fc1 = nn.Linear(784, 400)
  self.fc21 = nn.Linear(400, 20)
  self.fc22 = nn.Linear(400, 20)
  self.fc3 = nn.Linear(20, 400)
  self.fc4 = nn.Linear(400, 784)
end

function VAE:encode(x)
  local h1 = F.relu(self.fc1(x))
  return self.fc21(h1), self.fc22(h1)
end

function VAE:reparameterize(mu, logvar)
  local std = torch.exp(0.5 * logvar)
  local eps = torch.randn_like(std)
  return mu + eps * std
end

function VAE:decode(z)
  local h3 = F.relu(self.fc3(z))
  return torch.sigmoid(self.fc4(h3))
end

function VAE:forward(x)
  local mu, logvar = self:encode(x:view(-1, 784))
  local z = self:reparameterize(mu, logvar)
  return self:decode(z), mu, logvar
end

-- Reconstruction and Kullback-Leibler divergence, summed over all elements and the batch.
local function loss_function(recon_x, x, mu, logvar)
  local BCE = F.binary_cross_entropy(recon_x, x:view(-1, 784), {reduction = "sum"})
  local KLD = -0.5 * torch.sum(1 + logvar - mu:pow(2) - logvar:exp())
  return BCE + KLD
end

torch.manual_seed(1)
local digits = torch.datasets.Digits()
local images = F.interpolate(digits.data, {size = {28, 28}, mode = "bilinear"})
local train_loader = data.DataLoader(data.TensorDataset(images[":1280"]), {batch_size = 128, shuffle = true})
local test_loader = data.DataLoader(data.TensorDataset(images["1280:"]), {batch_size = 128})

local model = VAE()
local optimizer = optim.Adam(model:parameters(), {lr = 1e-3})

for epoch = 1, 3 do
  model:train()
  local train_loss = 0
  for batch_idx, x in train_loader:enumerate() do
    optimizer:zero_grad()
    local recon_batch, mu, logvar = model(x)
    local loss = loss_function(recon_batch, x, mu, logvar)
    loss:backward()
    train_loss = train_loss + loss:item()
    optimizer:step()
    print(torch.format("Train Epoch: %d [%d] Loss: %.6f", epoch, batch_idx, loss:item() / #x))
  end
  print(("====> Epoch: %d Average loss: %.4f"):format(epoch, train_loss / #train_loader.dataset))

  model:eval()
  local _ <close> = torch.no_grad()
  local test_loss = 0
  for x in test_loader do
    local recon, mu, logvar = model(x)
    test_loss = test_loss + loss_function(recon, x, mu, logvar):item()
  end
  print(("====> Test set loss: %.4f"):format(test_loss / #test_loader.dataset))
end

if arg and arg[1] then
  local sample = torch.no_grad(function() return model:decode(torch.randn(64, 20)) end)
  require("torchvision").utils.save_image(sample:view(64, 1, 28, 28), arg[1])
end
