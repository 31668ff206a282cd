-- resume.lua: training that is stopped in the middle of an epoch and goes on in another run, to the same bits.
--
--   tocha examples/resume.lua [path]
--
-- With a path the checkpoint stays there, and the next run goes on from it.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
local save_checkpoint, load_checkpoint = torch.serialization.save_checkpoint, torch.serialization.load_checkpoint

local function Training()
  torch.manual_seed(42)
  local x = torch.randn(256, 8)
  local y = x:matmul(torch.randn(8, 1)):tanh()
  local model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
  local optimizer = optim.Adam(model:parameters(), {lr = 1e-2})
  return {
    model = model,
    optimizer = optimizer,
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, 100),
    scaler = torch.amp.GradScaler "cpu",
    noise = torch.Generator():manual_seed(1),
    loader = torch.serialization.resumable(data.DataLoader(data.TensorDataset(x, y), {batch_size = 16, shuffle = true})),
    epoch = 0,
  }
end

-- Trains until `stop` steps are done in all; the loss of the last one.
local function train(t, steps, stop)
  local loss
  while steps < stop do
    for x, y in t.loader do
      torch.autocast({device_type = "cpu", dtype = torch.float16}, function()
        loss = nn.functional.mse_loss(t.model(x + 0.01 * torch.randn(x.shape, {generator = t.noise})):float(), y)
      end)
      t.optimizer:zero_grad()
      t.scaler:scale(loss):backward()
      t.scaler:step(t.optimizer)
      t.scaler:update()
      t.scheduler:step()
      steps = steps + 1
      if steps == stop then return loss end
    end
    t.epoch = t.epoch + 1
  end
  return loss
end

local path = arg and arg[1] or os.tmpname()

local through = Training()
local wanted = train(through, 0, 60)

local first = Training()
train(first, 0, 25)
save_checkpoint(path, first)

local second = Training()
second.epoch = load_checkpoint(path, second).epoch
local got = train(second, 25, 60)

local same = wanted:item() == got:item() and through.epoch == second.epoch
local parameters = second.model:parameters()
for p in through.model:parameters() do same = same and torch.equal(p, parameters()) end
print("epoch", second.epoch)
print("loss", torch.format("%.3f", got))
print("as if it had never stopped", same)
if not (arg and arg[1]) then os.remove(path) end
