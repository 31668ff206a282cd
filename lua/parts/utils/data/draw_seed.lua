-- draw_seed.lua: draws seeds for generators.
local torch = ...

--- Draws a seed as PyTorch does for a generator of its own: two words of the given or the default generator.
return function(generator)
  local seed = torch.empty({}, {dtype = torch.int64, device = "cpu"})
  if generator then seed:random_{generator = generator} else seed:random_() end
  return seed:item()
end
