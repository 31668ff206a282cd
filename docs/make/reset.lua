-- reset.lua: undoes what the example before may have left behind. An example that wants the same random numbers again must seed.
-- sessions.lua runs it, and a page before each example that a visitor runs.
torch.manual_seed(os.time())
torch.set_default_dtype(torch.float32)
torch.set_default_device "cpu"
torch.set_grad_enabled(true)
torch.set_printoptions {profile = "default"}
torch.set_autocast_enabled("cpu", false)
if rawget(torch, "plot") then torch.plot.close "all" end
