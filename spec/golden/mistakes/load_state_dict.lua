-- State dicts that do not fit.
local torch = require "torch"
local nn = torch.nn
local function all(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):gsub("\nat .*", ""):gsub("\nhint:.*", "")))
end
local net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
all(net.load_state_dict, net, nn.Linear(2, 3):state_dict())
all(net.load_state_dict, net, nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1)):state_dict())
all(net.load_state_dict, net, nn.Sequential(nn.Linear(2, 3)):state_dict())
all(net.load_state_dict, net, nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1), nn.Linear(1, 1)):state_dict())
all(net.load_state_dict, net, nn.Sequential(nn.Linear(2, 4)):state_dict(), {strict = false})
all(net.load_state_dict, net, net:state_dict())
all(net.load_state_dict, net, 3)
local Net = nn.Module:extend "Net"
function Net:init() self.a = nn.Linear(1, 1) end
all(Net().load_state_dict, Net(), nn.Linear(1, 1):state_dict())
