-- linalg_kinds_spec.lua: the kind of error with which torch.linalg refuses a dtype (the golden programs see the words alone).
local torch = require "torch"

describe("torch.linalg refuses whole numbers with a NotImplementedError:", function()
  for _, name in ipairs{"inv", "det", "cholesky", "qr", "svd", "eigh", "matrix_exp", "matrix_sqrth", "polar", "slogdet"} do
    it(name, function()
      local ok, problem = pcall(torch.linalg[name], torch.ones({2, 2}, {dtype = torch.int64}))
      assert.is_false(ok)
      assert.equal("NotImplementedError", problem.code)
    end)
  end
end)
