-- on_device.lua: busted's helper (.busted): gives specs that seed nothing the same numbers in every run, lets convolutions on a GPU
-- keep float32's digits, which the specs expect, and runs the specs on another device if TOCHA_SPEC_DEVICE=cuda:0 is set. Tensors
-- are made there unless a spec says otherwise. Random numbers come from the CPU's generator, so that they are the numbers that the
-- specs expect.
local device = os.getenv "TOCHA_SPEC_DEVICE"

local require_module, seeded = require, nil
function require(name)   -- luacheck: ignore
  local module = require_module(name)
  if name == "torch" and module ~= seeded then
    seeded = module
    module.manual_seed(67280421310721)
    module.backends.cudnn.allow_tf32 = false
  end
  return module
end

if device then
  local torch = require "torch"
  assert(torch.cuda.is_available(), "no device: " .. torch.cuda.reason())
  torch.set_default_device(device)
  torch._host_random(true)

  -- Makes texts of tensors equal to those on the CPU.
  local to_text = tostring
  function tostring(value)   -- luacheck: ignore
    local text = to_text(value)
    return torch.is_tensor(value) and text:gsub(",%s+device='" .. device .. "'", "") or text
  end
end

-- Lets a run continue after a fault (resuming.lua).
if os.getenv "TOCHA_SPEC_LOG" then require "resuming" end
