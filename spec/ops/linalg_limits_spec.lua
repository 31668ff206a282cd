-- linalg_limits_spec.lua: torch.linalg where there is nothing to compute, or more than LAPACK can count.
local torch = require "torch"

describe("torch.linalg", function()
  it("lstsq: a right side without a batch leaves zeros of what is known of the matrices", function()
    for _, driver in ipairs {"gelsd", "gelss"} do
      local solution, _, rank, values = torch.linalg.lstsq(torch.ones(2, 1, 3, 2), torch.ones(2, 0, 3, 4), {driver = driver})
      assert.same({2, 0, 2, 4}, {solution.shape:unpack()})
      assert.same({{0}, {0}}, rank:tolist())
      assert.same({{{0, 0}}, {{0, 0}}}, values:tolist())
    end
  end)

  it("lstsq: a right side of fewer dimensions is one matrix for all", function()
    local a, b = torch.randn(2, 4, 3), torch.randn(4, 5)
    local x = torch.linalg.lstsq(a, b)
    assert.same({2, 3, 5}, {x.shape:unpack()})
    for i = 0, 1 do assert.is_true(torch.allclose(x[i], (torch.linalg.lstsq(a[i], b)), {atol = 1e-4})) end
  end)

  for _, name in ipairs {"qr", "lu_factor", "geqrf", "cholesky_ex", "lu"} do
    it(name .. ": sizes beyond LAPACK's numbers are an error", function()
      local f = name == "geqrf" and torch.geqrf or torch.linalg[name]
      local shape = name == "cholesky_ex" and {0, 1 << 31, 1 << 31} or {1 << 31, 0}
      local ok, problem = pcall(f, torch.zeros(shape))
      assert.is_false(ok)
      assert.truthy(tostring(problem):find("larger than LAPACK can count", 1, true))
    end)
  end
end)
