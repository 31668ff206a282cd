-- utils.lua: saving a model.
local torch = require "torch"
local utils = {}

function utils.save_model(model, target_dir, model_name)
  assert(model_name:find "%.pth$" or model_name:find "%.pt$", "model_name should end with '.pt' or '.pth'")
  os.execute(("mkdir -p '%s'"):format(target_dir))
  local model_save_path = target_dir .. "/" .. model_name
  torch.save{obj = model:state_dict(), f = model_save_path}
  return model_save_path
end

return utils
