-- cpu only: asks for what only the CPU leaves out
-- What torch.embedding_bag gives beside the sums: empty where the sum alone is asked for and done in one loop.
local torch = require "torch"
torch.manual_seed(0)
local i, o = torch.tensor{0, 1, 2, 3}, torch.tensor{0, 2}
for _, dt in ipairs{torch.float32, torch.float64, torch.bfloat16} do
  local w = torch.arange(15.0):reshape(5, 3):to(dt)
  for mode = 0, 2 do
    for _, last in ipairs{false, true} do
      for _, freq in ipairs{false, true} do
        if not (freq and mode == 2) then
          local a, b, c, d = torch.embedding_bag(w, i, last and torch.tensor{0, 2, 4} or o, freq, mode, false, nil, last)
          print(mode, last, freq, b, c, d)
        end
      end
    end
    local a, b, c, d = torch.embedding_bag(w, i, o, false, mode, false, nil, false, 2)
    print("padded", mode, b, c, d)
    local a, b, c, d = torch.embedding_bag(w:t():contiguous():t(), i, o, false, mode)
    print("turned", mode, b, c, d)
  end
  local a, b, c, d = torch.embedding_bag(w, i, o, false, 0, false, torch.ones(4):to(dt))
  print("weights", b, c, d)
end
