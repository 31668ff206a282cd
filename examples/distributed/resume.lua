-- resume.lua: a process dies in the middle of training; the launcher starts all of them again, and they go on from the last checkpoint, to the
-- numbers of a run without an accident.
--
--   tocha --nproc 2 --max-restarts 1 examples/distributed/resume.lua CHECKPOINT [step at which rank 1 dies]
local torch = require "torch"
local nn, dist = torch.nn, torch.distributed

local path, death = assert(arg[1], "name a file for the checkpoint"), tonumber(arg[2])
dist.init_process_group "gloo"
local rank = dist.get_rank()

torch.manual_seed(0)
local model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
local ddp = nn.parallel.DistributedDataParallel(model)
local optimizer = torch.optim.SGD(ddp:parameters(), {lr = 0.05, momentum = 0.9})

-- Every rank reads the checkpoint, if there is one.
local step, file = 0, io.open(path)
if file then
  file:close()
  local saved = torch.load(path)
  model:load_state_dict(saved.model)
  optimizer:load_state_dict(saved.optimizer)
  step = saved.step
  if rank == 0 then print(("goes on after step %d"):format(step)) end
end
dist.barrier()   -- nobody writes it before all have read it

local loss
while step < 40 do
  step = step + 1
  torch.manual_seed(100 * step + rank)
  local x = torch.randn(16, 8)
  loss = nn.functional.mse_loss(ddp(x), x:sum(1, true):sin())
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if step % 10 == 0 and rank == 0 then
    torch.save({model = model:state_dict(), optimizer = optimizer:state_dict(), step = step}, path .. ".new")
    os.rename(path .. ".new", path)   -- a checkpoint is there whole, or not at all
  end
  if step == death and rank == 1 and os.getenv "TORCHELASTIC_RESTART_COUNT" == "0" then os.exit(1) end
end
if rank == 0 then print(("step %d  weights %.6f"):format(step, nn.utils.parameters_to_vector(model:parameters()):double():sum():item())) end
dist.destroy_process_group()
