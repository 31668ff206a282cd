-- multiprocessing/unfinished.lua: the processes that the end of this program waits for, as Python does: all but daemons.
return setmetatable({}, {__gc = function(all)
  for process in pairs(all) do process:join() end
end})
