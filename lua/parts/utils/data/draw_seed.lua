-- draw_seed.lua: seeds for generators.
local torch = ...

--- A seed as PyTorch draws it for a generator of its own: two words of the given or default one.
return function(generator)
  local seed = torch.empty({}, {dtype = torch.int64, device = "cpu"})
  if generator then seed:random_{generator = generator} else seed:random_() end
  return seed:item()
end
