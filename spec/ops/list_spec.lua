-- list_spec.lua: entries of runtime/ops/*/*.lua: what an expression made of operators becomes in C, and what the generator
-- refuses.
package.path = "runtime/list/?.lua;" .. package.path
local read = require "read"
local calls = require "operator_calls"

local list = read.load "runtime"

-- The C of an entry with this signature: by the public functions of other operators, or (direct) by another's C function.
local function c_of(signature, expression, direct)
  local op = {name = "example", lua_name = "example", signature = signature, list_of = list, family = "pointwise",
    expression = expression, direct = direct, composite = not direct}
  read.parse_signature(op)
  local headers = {}
  local c, stored = calls.entry(op, headers)
  return c, stored, headers
end

local function refused(words, ...)
  local ok, message = pcall(c_of, ...)
  assert.is_false(ok)
  assert.is_truthy(message:find(words, 1, true), message)
end

describe("an entry that is an expression", function()
  it("calls operators and does arithmetic", function()
    local c, stored, headers = c_of("(Tensor input) -> Tensor", "input - tanh(input)")
    assert.are.equal("tocha_sub_full(cx, a[0].tensor, tocha_operand_of(tocha_tanh_full(cx, a[0].tensor)), tocha_int(1))", c)
    assert.is_false(stored)
    assert.are.same({sub = true, tanh = true}, headers)
  end)

  it("gives sizes, dtypes, lists, constants and defaults", function()
    assert.are.equal("tocha_view_full(cx, a[0].tensor, a[1].tensor->ndim, a[1].tensor->sizes)",
      (c_of("(Tensor self, Tensor other) -> Tensor", "view(self, sizes(other))")))
    assert.are.equal("tocha_movedim_full(cx, a[0].tensor, 1, (const int64_t[]){a[1].value.integer}, 2, (const int64_t[]){0, 1})",
      (c_of("(Tensor self, dim source) -> Tensor", "movedim(self, [source], [0, 1])")))
    assert.are.equal("tocha_clamp_full(cx, a[0].tensor, NULL, (const tocha_scalar[]){a[1].value.scalar})",
      (c_of("(Tensor self, Scalar max) -> Tensor", "clamp(self, nil, max)")))
    assert.are.equal("tocha_var_correction_full(cx, a[0].tensor, 0, NULL, (const tocha_scalar[]){tocha_boolean(a[1].value.flag)}, false)",
      (c_of("(Tensor self, bool unbiased) -> Tensor", "var_correction(self, correction=unbiased)")))
  end)

  it("takes the results of the same names, and a sole one from the first place", function()
    local c, stored = c_of("(Tensor A) -> (Tensor logabsdet, Tensor sign)", "_linalg_slogdet(A)")
    assert.are.equal("tocha_private_linalg_slogdet_full(cx, a[0].tensor, &r->fixed[1], &r->fixed[0], NULL, NULL)", c)
    assert.is_true(stored)
    assert.are.equal("tocha_sort_full(cx, a[0].tensor, -1, false, &r->fixed[0], NULL)", (c_of("(Tensor self) -> Tensor", "sort(self)")))
  end)

  it("calls another entry's function, with the constants that it is given", function()
    assert.are.equal("tocha_op_polygamma(cx, a[1].value.integer, a[0].tensor)",
      (c_of("(Tensor self, int n) -> Tensor", "polygamma(n, self)", true)))
  end)

  it("is refused where it would compute something else", function()
    refused("unknown operator tanhh", "(Tensor self) -> Tensor", "tanhh(self)")
    refused("unknown name x", "(Tensor self) -> Tensor", "tanh(x)")
    refused("tanh has no such parameter", "(Tensor self) -> Tensor", "tanh(self, 1)")
    refused("tanh has no such parameter", "(Tensor self) -> Tensor", "tanh(self, out=self)")
    refused("a tensor expected for self", "(Tensor self, float p) -> Tensor", "tanh(p)")
    refused("sort has not one tensor as its result", "(Tensor self) -> Tensor", "tanh(sort(self))")
    refused("has not the results of the entry", "(Tensor self) -> (Tensor values, Tensor places)", "sort(self)")
    refused("has another kind of result", "(Tensor self) -> Tensor[]", "split(self, 1)")
    refused("has no function of its own in this family", "(Tensor self) -> Tensor", "tanh(self)", true)
    refused("has no function of its own in this family", "(Tensor self) -> Tensor", "trapezoid(self)", true)
    refused("sizes() takes a parameter that is a tensor", "(Tensor self, Tensor? other) -> Tensor", "view(self, sizes(other))")
    refused("floats is no list of size", "(Tensor self, float[] p) -> Tensor", "view(self, p)")
  end)
end)

-- Reads an entry as the generator does, and returns its error.
local function problem_of(signature, fields)
  local op = {name = "example", lua_name = "example", signature = signature, sample = {{3, 4}}}
  for key, value in pairs(fields) do op[key] = value end
  read.parse_signature(op)
  local ok, message = pcall(function()
    local formula = op.formula and require "formulas".new()
    local name = formula and formula:of_operator(op, "pointwise", "example")
    local row = op.reduce and require "reductions".new()
    local reduction = row and row:of_operator(op, "reduction")
    read.check(op, formula and formula.by_name[name] or row and row.by_name[reduction])
  end)
  return ok and "" or message
end

describe("an entry", function()
  local of_one, of_dims = "(Tensor self, float cap=1.0) -> Tensor", "(Tensor self, dim[]? dim, float ord=2) -> Tensor"
  local rule = {self = "grad"}

  it("with a formula or a row is taken", function()
    assert.are.equal("", problem_of(of_one, {formula = "x = self / cap; x * TANH(x)", grad = rule}))
    assert.are.equal("", problem_of(of_one, {formula = {"self > cap", types = "all", result = "bool"}}))
    assert.are.equal("", problem_of(of_dims, {reduce = {sum = "POW(ABS(x), (T)ord)", finish = "POW(s / n, (T)(1 / ord))"}, grad = rule}))
    assert.are.equal("", problem_of(of_dims, {reduce = {sum = "x != 0", counts = true, result = "int64"}}))
  end)

  local mistakes = {
    {"'cop' is neither a parameter nor assigned before", of_one, {formula = "cop * TANH(self / cap)", grad = rule}},
    {"'x' is neither a parameter nor assigned before", of_one, {formula = "y = x / cap; x = self; x + y", grad = rule}},
    {"a parenthesis is not closed", of_one, {formula = "cap * TANH(self / cap", grad = rule}},
    {"the formula does not read 'cap'", of_one, {formula = "TANH(self)", grad = rule}},
    {"the formula does not read 'x'", of_one, {formula = "x = self / cap; self * cap", grad = rule}},
    {"no gradient rule", of_one, {formula = "self * cap"}},
    {"no gradient rule", of_dims, {reduce = {sum = "x"}}},
    {"in the sum 'y * y': unknown name 'y'", of_dims, {reduce = {sum = "y * y"}, grad = rule}},
    {"in the join 's + x': unknown name 'x'", of_dims, {reduce = {start = "0", join = "s + x"}, grad = rule}},
    {"no reduction by a row takes 'other'", "(Tensor self, Tensor other) -> Tensor", {reduce = {sum = "x"}, grad = rule}},
    {"view and host exclude each other", of_one, {view = true, host = true}},
    {"view and inplace exclude each other", of_one, {view = true, inplace = true}},
    {"formula and host exclude each other", of_one, {formula = "self * cap", host = true, grad = rule}},
    {"composite and grad exclude each other", of_one, {composite = true, grad = rule}},
    {"the sample has no cap", "(Tensor self, float cap) -> Tensor", {composite = true}},
  }
  for _, mistake in ipairs(mistakes) do
    it("is refused: " .. mistake[1], function()
      local message = problem_of(mistake[2], mistake[3])
      assert.is_truthy(message:find(mistake[1], 1, true), message)
    end)
  end
end)
