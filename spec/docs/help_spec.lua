-- help_spec.lua: every public name has help: a signature or a name, and a sentence.
local torch = require "torch"
local programs = require "programs"
local help = torch._part "help"

describe("help", function()
  it("is there for every public name", function()
    local count, missing = 0, {}
    help.each(function(path, value)
      count = count + 1
      local text = help.of(value, path, torch._list_help(value))
      if not (text and text:find "\n    %S") then missing[#missing + 1] = path end
    end)
    assert.is_true(count > 2000)
    assert.same({}, missing)
  end)

  it("has no text on a name that is not there", function()
    local stale = {}
    help.load_all()
    for path in pairs(torch._part "help_texts") do
      if help.value_of(path) == nil then stale[#stale + 1] = path end
    end
    table.sort(stale)
    assert.same({}, stale)
  end)

  it("has examples, which show what is shown", function()
    local count = 0
    help.each_example(function(path, typed, expected)
      count = count + 1
      local shown = {}
      assert.is_not_nil(help.value_of(path), path)
      local f = assert(load(typed:find "; return " and typed or "return " .. typed, "=x", "t", {torch = torch}))
      local results = table.pack(f())
      for i = 1, results.n do shown[i] = tostring(results[i]) end
      assert.equal(expected, table.concat(shown, "\n"), path)
    end)
    assert.is_true(count > 850)
    for _, name in ipairs {"torch.cosh", "torch.Tensor.cosh", "torch.nn.Conv2d", "torch.nn.functional.max_pool2d", "torch.linalg.det"} do
      assert.truthy(help.on(name):find "\n    > torch", name)
    end
    assert.truthy(help.on "torch.Tensor.cumsum":find("> torch.arange(1, 5):cumsum(0)", 1, true))
  end)

  it("of a value is that of its name", function()
    assert.equal(help.page(torch.cat), help.on "cat")
    assert.equal("cat(Tensor[] tensors, dim dim=0) -> Tensor\n    The tensors one after the other along dim.", torch._help(torch.cat))
    assert.truthy(help.on "Digits":find "handwritten digits")
    assert.truthy(torch._help(torch.metrics.functional.accuracy):find("^accuracy%(preds, target, task"))
  end)

  it("takes signatures from torch._define and texts from comments", function()
    assert.equal("get_device_capability(device?)\n    Major and minor number of the compute capability.", torch._help(torch.cuda.get_device_capability))
    assert.truthy(torch._help(torch.vision.ops.nms):find "^nms%(boxes, scores, iou_threshold%)\n    %u")
    assert.truthy(torch._help(torch.optim.lr_scheduler.OneCycleLR):find("^OneCycleLR%(optimizer, max_lr, total_steps%?"))
  end)

  it("of classes written in Lua is their own, not their base's", function()
    assert.truthy(torch._help(torch.nn.LazyLinear):find "^LazyLinear%(out_features")
    assert.truthy(torch._help(torch.nn.Linear):find "^Linear%(int in_features")
    assert.truthy(torch._help(torch.optim.Adam):find "^Adam%(params, float lr=1e%-3")
  end)

  it("is nil for what is none of Tocha's", function()
    assert.is_nil(torch._help(function() end))
    assert.is_nil(torch._help {})
    assert.is_nil(torch._help "text")
    assert.is_nil(torch._help(nil))
    assert.is_nil(help.on "torch.no_such_name")
  end)

  it("is shown by tocha --help NAME", function()
    local pipe = io.popen(programs.tocha .. " --help torch.cat")
    assert.equal(help.on "torch.cat" .. "\n", pipe:read "a")
    assert.is_true(pipe:close())
    pipe = io.popen(programs.tocha .. " --help nothing_like_this 2>&1")
    assert.truthy(pipe:read "a":find "no help on 'nothing_like_this'")
    assert.is_nil((pipe:close()))
  end)
end)
