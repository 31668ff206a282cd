-- Least squares over batches: what is known of the matrices alone has their batch shape, not that of both.
local torch = require "torch"
torch.manual_seed(0)
for _, shapes in ipairs {{{3, 2}, {3, 2}}, {{1, 3, 2}, {5, 3, 2}}, {{5, 3, 2}, {1, 3, 2}}, {{2, 3, 2}, {2, 3}}, {{0, 3, 2}, {0, 3, 2}}, {{0, 3, 2}, {1, 3, 2}}, {{3, 3, 2}, {3, 5}}, {{1, 3, 2}, {3, 5}}, {{3, 3, 3, 2}, {1, 3, 5}}, {{4, 1, 3, 2}, {1, 5, 3, 2}}} do
  for _, driver in ipairs {"gels", "gelsy", "gelsd", "gelss"} do
    local solution, _, rank, values = torch.linalg.lstsq(torch.randn(shapes[1]), torch.randn(shapes[2]), {driver = driver})
    print(driver, solution.shape, rank.shape, values.shape)
  end
end
-- b without a batch: nothing is computed (PyTorch leaves what is known of the matrices unset)
for _, driver in ipairs {"gelsy", "gelss"} do
  local solution, _, rank, values = torch.linalg.lstsq(torch.randn(1, 3, 2), torch.randn(0, 3, 2), {driver = driver})
  print(driver, solution.shape, rank.shape, values.shape)
end
