-- Functions whose arguments are read in Lua: the words are those of any Python function.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local x = torch.tensor {3, 1, 3}
mistake(torch.unique)
mistake(torch.unique, x, {sorte = true})
mistake(torch.unique, 5)
mistake(x.unique, x, 1, 2, 3, 4, 5)
mistake(x.unique, x, {foo = 1})
print(torch.unique(x, {return_counts = true}))
print(x:unique(true, true))
mistake(torch.cuda.set_device)
mistake(torch.cuda.set_device, 0, 1)
mistake(torch.cuda.memory_allocated, 0, 1)
mistake(torch.cuda.memory_allocated, {dev = 1})
mistake(torch.cuda.can_device_access_peer, 0)
mistake(torch.cuda.manual_seed)
mistake(torch.cuda.set_rng_state)
mistake(torch.cuda.get_device_name, 1, 2)
