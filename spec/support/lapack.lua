-- lapack.lua: `it` for specs that may need LAPACK. Without the library such a test is pending; other failures count as failures.
local torch = require "torch"
local busted = require "busted"

if pcall(torch.linalg.det, torch.eye(9)) then return busted.it end

return function(name, f)
  busted.it(name, function()
    local done, err = xpcall(f, function(e) return type(e) == "string" and debug.traceback(e, 2) or e end)
    if done then return end
    if tostring(err):find("needs LAPACK", 1, true) then return busted.pending "needs LAPACK" end
    error(err, 0)
  end)
end
