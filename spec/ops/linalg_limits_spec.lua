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

  it("lstsq: a right side of fewer dimensions is one matrix for all, if its rows could be a batch as well", function()
    local a, b = torch.randn(4, 4, 3), torch.randn(4, 5)
    local x = torch.linalg.lstsq(a, b)
    assert.same({4, 3, 5}, {x.shape:unpack()})
    assert.is_false((pcall(torch.linalg.lstsq, torch.randn(2, 4, 3), b)))
    for i = 0, 3 do assert.is_true(torch.allclose(x[i], (torch.linalg.lstsq(a[i], b)), {atol = 1e-4})) end
  end)

  it("lstsq: singular values of what is not finite are an error", function()
    for _, driver in ipairs {"gelsd", "gelss"} do
      for _, number in ipairs {0 / 0, 1 / 0} do
        for _, shape in ipairs {{8, 8}, {16, 40}, {40, 16}} do
          local a, b = torch.randn(shape), torch.randn(shape[1], 3)
          a[2][3] = number
          local ok, problem = pcall(torch.linalg.lstsq, a, b, {driver = driver})
          assert.is_false(ok)
          assert.truthy(tostring(problem):find("The least squares solution could not be computed", 1, true))
        end
      end
    end
  end)

  it("lstsq: a right side without columns", function()
    for _, driver in ipairs {"gels", "gelsy", "gelsd", "gelss"} do
      for _, shape in ipairs {{8, 8}, {16, 40}, {40, 16}} do
        local x = torch.linalg.lstsq(torch.randn(shape), torch.zeros(shape[1], 0), {driver = driver})
        assert.same({shape[2], 0}, {x.shape:unpack()})
      end
    end
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
