-- dcgan.lua: PyTorch's example "dcgan": a generator learns to draw digits that a discriminator takes for real.
--
--   tocha examples/pytorch/dcgan.lua [picture.png]      where the digits that it draws are to be saved
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data

local nz, ngf, ndf, nc = 20, 8, 8, 1

-- custom weights initialization called on netG and netD
local function weights_init(m)
  local classname = m:_get_name()
  if classname:find "Conv" then
    torch.nn.init.normal_(m.weight, 0.0, 0.02)
  elseif classname:find "BatchNorm" then
    torch.nn.init.normal_(m.weight, 1.0, 0.02)
    torch.nn.init.zeros_(m.bias)
  end
end

local Generator = nn.Module:extend "Generator"

function Generator:init()
  self.main = nn.Sequential(
    -- input is Z, going into a convolution
    nn.ConvTranspose2d(nz, ngf * 4, 4, 1, 0, {bias = false}),
    nn.BatchNorm2d(ngf * 4),
    nn.ReLU(true),
    -- (ngf*4) x 4 x 4
    nn.ConvTranspose2d(ngf * 4, ngf * 2, 4, 2, 1, {bias = false}),
    nn.BatchNorm2d(ngf * 2),
    nn.ReLU(true),
    -- (ngf*2) x 8 x 8
    nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, {bias = false}),
    nn.BatchNorm2d(ngf),
    nn.ReLU(true),
    -- (ngf) x 16 x 16
    nn.ConvTranspose2d(ngf, nc, 4, 2, 1, {bias = false}),
    nn.Tanh()
    -- (nc) x 32 x 32
  )
end

function Generator:forward(input) return self.main(input) end

local Discriminator = nn.Module:extend "Discriminator"

function Discriminator:init()
  self.main = nn.Sequential(
    -- input is (nc) x 32 x 32
    nn.Conv2d(nc, ndf, 4, 2, 1, {bias = false}),
    nn.LeakyReLU(0.2, {inplace = true}),
    -- (ndf) x 16 x 16
    nn.Conv2d(ndf, ndf * 2, 4, 2, 1, {bias = false}),
    nn.BatchNorm2d(ndf * 2),
    nn.LeakyReLU(0.2, {inplace = true}),
    -- (ndf*2) x 8 x 8
    nn.Conv2d(ndf * 2, ndf * 4, 4, 2, 1, {bias = false}),
    nn.BatchNorm2d(ndf * 4),
    nn.LeakyReLU(0.2, {inplace = true}),
    -- (ndf*4) x 4 x 4
    nn.Conv2d(ndf * 4, 1, 4, 1, 0, {bias = false}),
    nn.Sigmoid()
  )
end

function Discriminator:forward(input) return self.main(input):view(-1, 1):squeeze(1) end

torch.manual_seed(999)
local digits = torch.datasets.Digits()
local images = F.interpolate(digits.data[":640"], {size = {32, 32}, mode = "bilinear"}) * 2 - 1
local dataloader = data.DataLoader(data.TensorDataset(images), {batch_size = 64, shuffle = true})

local netG = Generator()
netG:apply(weights_init)
print(netG)
local netD = Discriminator()
netD:apply(weights_init)
print(netD)

local criterion = nn.BCELoss()
local fixed_noise = torch.randn(64, nz, 1, 1)
local real_label, fake_label = 1, 0

local optimizerD = optim.Adam(netD:parameters(), {lr = 0.0002, betas = {0.5, 0.999}})
local optimizerG = optim.Adam(netG:parameters(), {lr = 0.0002, betas = {0.5, 0.999}})

for epoch = 0, 1 do
  for i, real in dataloader:enumerate() do
    -- (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
    netD:zero_grad()
    local batch_size = real:size(0)
    local label = torch.full({batch_size}, real_label, {dtype = real.dtype})
    local output = netD(real)
    local errD_real = criterion(output, label)
    errD_real:backward()
    local D_x = output:mean():item()

    local noise = torch.randn(batch_size, nz, 1, 1)
    local fake = netG(noise)
    label:fill_(fake_label)
    output = netD(fake:detach())
    local errD_fake = criterion(output, label)
    errD_fake:backward()
    local D_G_z1 = output:mean():item()
    local errD = errD_real + errD_fake
    optimizerD:step()

    -- (2) Update G network: maximize log(D(G(z)))
    netG:zero_grad()
    label:fill_(real_label)             -- fake labels are real for generator cost
    output = netD(fake)
    local errG = criterion(output, label)
    errG:backward()
    local D_G_z2 = output:mean():item()
    optimizerG:step()

    print(("[%d][%d/%d] Loss_D: %.5f Loss_G: %.5f D(x): %.5f D(G(z)): %.5f / %.5f"):format(
      epoch, i, #dataloader, errD:item(), errG:item(), D_x, D_G_z1, D_G_z2))
  end
end

if arg and arg[1] then
  netG:eval()
  local fake = torch.no_grad(function() return netG(fixed_noise) end)
  require("torchvision").utils.save_image(fake, arg[1], {normalize = true})
end
