-- item() and tolist().
local torch = require "torch"
print(torch.tensor(3):item(), torch.tensor(0.5):item(), torch.tensor(true):item())
print(torch.tensor{{{2.0}}}:item())
print(torch.tensor(1 / 3):item())
print(torch.tensor(0.1, {dtype = torch.float64}):item())
print(torch.tensor(7, {dtype = torch.uint8}):item())
print(math.type(torch.tensor(3):item()), math.type(torch.tensor(3.0):item()))
print(table.concat(torch.tensor{1, 2, 3}:tolist(), " "))
local rows = torch.tensor{{1, 2}, {3, 4}}:tolist()
print(#rows, rows[1][2], rows[2][1])
print(torch.tensor(5):tolist())
