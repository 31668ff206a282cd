-- _pad_packed_sequence: rows that are left over, steps of no sequence, rows that are missing.
local torch = require "torch"
local rows = torch.arange(14.):reshape(7, 2)
for _, sizes in ipairs{{2, 1}, {2, 0}, {0}, {0, 0}, {3, 3}, {4, 2, 1}, {4, 3}, {3, 3, 3}, {4, 3, 2}} do
  for _, total in ipairs{-1, 0, 4} do
    local ok, padded, lengths = pcall(torch._pad_packed_sequence, rows, torch.tensor(sizes, {device = "cpu"}), total == 0, 0.5, total)
    print(ok and padded or tostring(padded):match "[^\n]*", lengths)
  end
end
