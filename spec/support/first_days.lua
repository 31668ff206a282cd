-- first_days.lua: a script with three mistakes of beginners, which tocha --check finds (REPL.md).
local x = torch.tensor{1, 2, 3}
if x == 2 then print "two" end
for i = 1, #x do print(x[i]) end
print(x.sum())
