-- resume_spec.lua: training that was stopped after any step goes on to the bits of a run that never stopped; and a save that is killed
-- at any moment leaves the old file or the new one.
local torch = require "torch"
local programs = require "programs"
local nn, optim, data, serialization = torch.nn, torch.optim, torch.utils.data, torch.serialization
local schedulers = optim.lr_scheduler

local STEPS = 28

-- Everything that a run can have: what the model draws, an optimizer with three buffers, schedulers in a row, a scaler that grows and falls
-- back, an average, generators, a loader in the middle of an epoch.
local function Training(own_generator)
  torch.manual_seed(42)
  local x = torch.randn(96, 8)
  local y = x:matmul(torch.randn(8, 1)):tanh()
  local model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 1))
  local optimizer = optim.AdamW(model:parameters(), {lr = 1e-2, amsgrad = true})
  local warm = schedulers.LinearLR(optimizer, {total_iters = 10})
  return {
    model = model, optimizer = optimizer,
    scheduler = schedulers.SequentialLR(optimizer, {warm, schedulers.CosineAnnealingLR(optimizer, 30)}, {10}),
    scaler = torch.amp.GradScaler("cpu", {init_scale = 2.0 ^ 15, growth_interval = 5}),
    average = optim.swa_utils.AveragedModel(model, {multi_avg_fn = optim.swa_utils.get_ema_multi_avg_fn(0.9)}),
    noise = torch.Generator():manual_seed(3),
    loader = serialization.resumable(data.DataLoader(data.TensorDataset(x, y),
      {batch_size = 16, shuffle = true, generator = own_generator and torch.Generator():manual_seed(7) or nil})),
    step = 0, epoch = 0, losses = {},
  }
end

local function train(t, stop)
  while t.step < stop do
    for x, y in t.loader do
      local loss = torch.autocast({device_type = "cpu", dtype = torch.float16}, function()
        local noise = torch.randn(x.shape, {generator = t.noise})
        return nn.functional.mse_loss(t.model(x + 0.01 * noise):float(), y)
      end)
      t.optimizer:zero_grad()
      t.scaler:scale(loss):backward()
      t.scaler:step(t.optimizer)
      t.scaler:update()
      t.scheduler:step()
      t.average:update_parameters(t.model)
      t.step = t.step + 1
      t.losses[t.step] = loss:item()
      if t.step == stop then return end
    end
    t.epoch = t.epoch + 1
  end
end

local function assert_same_state(a, b)
  a, b = a:state_dict(), b:state_dict()
  assert.are.equal(#a, #b)
  for name, value in pairs(a) do assert.is_true(torch.equal(value, b[name]), name) end
end

describe("a run that is resumed", function()
  for _, own_generator in ipairs {false, true} do
    it("goes on as if it had never stopped" .. (own_generator and ", with generators of its own" or ""), function()
      local through = Training(own_generator)
      train(through, STEPS)
      assert.is_true(through.losses[STEPS] < through.losses[1])
      for stop = 1, STEPS - 1, 3 do
        local first, path = Training(own_generator), os.tmpname()
        train(first, stop)
        serialization.save_checkpoint(path, first)
        local second = Training(own_generator)
        torch.rand(stop)   -- what happened in between does not matter
        local saved = serialization.load_checkpoint(path, second)
        os.remove(path)
        second.step, second.epoch = saved.step, saved.epoch
        train(second, STEPS)
        for i = stop + 1, STEPS do assert.are.equal(through.losses[i], second.losses[i]) end
        assert.are.equal(through.epoch, second.epoch)
        assert.are.equal(through.scaler:get_scale(), second.scaler:get_scale())
        assert.are.same(through.scheduler:get_last_lr(), second.scheduler:get_last_lr())
        assert_same_state(through.model, second.model)
        assert_same_state(through.average, second.average)
      end
    end)
  end
end)

-- --- killed -------------------------------------------------------------------------------------------------------

local PROGRAM = [[
local path, kind, value = arg[1], arg[2], tonumber(arg[3])
local state = {x = torch.full({4000}, value, {dtype = torch.float32}), y = torch.full({7}, value, {dtype = torch.float32})}
if kind == "safetensors" then
  torch.utils.safetensors.save_file(state, path)
elseif kind == "npz" then
  torch.numpy.savez(path, state)
else
  torch.save(state, path, {_use_new_zipfile_serialization = kind == "zip"})
end
]]

-- What the file holds: one number in all places, or the test fails.
local function value_of(path)
  local state = path:find "%.npz$" and torch.numpy.load(path) or torch.load(path)
  if path:find "%.npz$" then state = {x = torch.from_numpy(state.x), y = torch.from_numpy(state.y)} end
  local value = state.y[0]:item()
  assert.is_true(state.x:eq(value):all():item() and state.y:eq(value):all():item())
  return value
end

describe("a save that is killed leaves a whole file:", function()
  for _, kind in ipairs {"zip", "legacy", "safetensors", "npz"} do
    it(kind, function()
      local path, program = os.tmpname(), os.tmpname()
      if kind == "npz" then path = path .. ".npz" end
      programs.write(program, PROGRAM)
      local function save(before, value)
        return os.execute(("%s %s %s %s %s %d >%s.out 2>&1"):format(before, programs.tocha, program, path, kind, value, program))
      end
      assert.is_true(save("", 0))
      local held, killed, done = 0, 0, 0
      -- at every write: the system ends a process that makes a file larger than this
      for blocks = 0, 40, 2 do
        local ok, how, signal = save(("ulimit -c 0; ulimit -f %d; exec"):format(blocks), blocks + 1)
        if ok then done, held = done + 1, blocks + 1 else killed = killed + 1 end
        assert.is_true(ok or how == "signal" or signal > 128, how)
        assert.are.equal(held, value_of(path))
      end
      assert.is_true(killed > 10 and done > 1, ("%d %d"):format(killed, done))
      -- at any moment
      for i = 1, 12 do
        save(("timeout -s KILL %.4f"):format(0.001 * i), 1000 + i)
        local value = value_of(path)
        assert.is_true(value == held or value == 1000 + i)
        held = value
      end
      os.execute(("rm -f %s* %s*"):format(path:match "^[^.]+", program))
    end)
  end
end)
