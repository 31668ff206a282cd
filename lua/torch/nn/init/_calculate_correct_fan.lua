-- nn/init/_calculate_correct_fan.lua: returns the fan for a mode of the kaiming initializers, "fan_in" or "fan_out".
local torch = ...

return torch._define("_calculate_correct_fan(tensor, mode)", function(tensor, mode)
  mode = mode:lower()
  if mode ~= "fan_in" and mode ~= "fan_out" then
    torch._part "support".fail("ValueError", "Mode %s not supported, please use one of ['fan_in', 'fan_out']", mode)
  end
  local fan_in, fan_out = torch.nn.init._calculate_fan_in_and_fan_out(tensor)
  return mode == "fan_in" and fan_in or fan_out
end)
