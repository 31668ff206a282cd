-- version.lua: torch.version. A field that is None in a build of PyTorch without the library is nil.
local torch = ...
local none = {cuda = true, hip = true, xpu = true, rocm = true, git_version = true}
local version = torch._namespace({__version__ = torch.__version__, debug = false}, "torch.version")
local metatable = getmetatable(version)
local unknown = metatable.__index
function metatable.__index(_, name)
  if not none[name] then return unknown(version, name) end
end
return version
