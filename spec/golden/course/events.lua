-- torch.utils.tensorboard.SummaryWriter: the bytes of the events it writes, after the first, which has the time.
local torch = require "torch"
local folder = os.tmpname()
os.remove(folder)
local writer = torch.utils.tensorboard.SummaryWriter{log_dir = folder}
writer:add_scalar("loss/train", 0.5, 1, 100.25)
writer:add_scalar("loss/train", torch.tensor(0.25), 300, 101.5)
writer:add_scalar("no step", 3, nil, 1.0)
writer:add_scalar("zero", 0.0, 0, 1.0)
writer:add_text("notes", "some **words**", 2, 3.5)
writer:add_histogram("weights", torch.tensor{0.5, -1.0, 2.0, 0.25, 0.5, 1e-3}, 1, "tensorflow", 2.0)
writer:add_histogram("bins", torch.tensor{0.0, 1.0, 2.0, 3.0, 3.0, 10.0}, 1, 5, 2.0)
writer:add_scalars("run", {a = 1.0, b = 2.0}, 4, 5.0)
writer:close()
local function show(pattern)
  local pipe = io.popen("ls -1 " .. pattern)
  for name in pipe:lines() do
    local file = io.open(name, "rb")
    local text = file:read "a"
    file:close()
    local at, n = 1, 0
    while at <= #text do
      local length = ("<I8"):unpack(text, at)
      if n > 0 then print((text:sub(at, at + length + 15):gsub(".", function(c) return ("%02x"):format(c:byte()) end))) end
      at, n = at + length + 16, n + 1
    end
    print(n)
  end
  pipe:close()
end
show(folder .. "/events*")
show(folder .. "/run_a/events*")
show(folder .. "/run_b/events*")
os.execute("rm -r " .. folder)
