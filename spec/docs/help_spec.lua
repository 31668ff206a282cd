-- help_spec.lua: every public name has help: a signature or a name, and a sentence.
local torch = require "torch"
local programs = require "programs"
local examples = require "help_examples"
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

  it("is told at the prompt, with its example, by the whole name", function()
    local page = torch._part "prompt.commands".help_on
    local session, bare = {locals = _G}, {}
    help.each(function(path)
      if not (page(session, path) or ""):find "\n    > " then bare[#bare + 1] = path end
    end)
    assert.same({}, bare)
  end)

  it("is there for the methods that a class has from its base", function()
    assert.equal(help.on "torch.optim.Optimizer.zero_grad", help.on "torch.optim.SGD.zero_grad")
    assert.equal(help.on "torch.nn.Module.train", help.on "nn.Linear.train")
    assert.truthy(help.on "torch.Generator.manual_seed":find "Seeds the generator")
    assert.is_nil(help.on "torch.nn.Linear.fly")
    assert.is_nil(help.on "torch.optim.Nothing.step")
  end)

  it("has no text on a name that is not there", function()
    local stale = {}
    help.load_all()
    for path in pairs(torch._part "help.texts") do
      if help.value_of(path) == nil then stale[#stale + 1] = path end
    end
    table.sort(stale)
    assert.same({}, stale)
  end)

  -- Whether what is typed has a name in it, as a word.
  local function mentions(block, name)
    for _, entry in ipairs(block) do
      if entry.typed:find("%f[%w_]" .. name .. "%f[^%w_]") then return true end
    end
    return false
  end

  it("has an example of every public name, in which it is called", function()
    local missing, elsewhere = {}, {}
    help.each(function(path)
      local block = help.example(path)
      if not block then missing[#missing + 1] = path
      elseif not mentions(block, path:match "[^.]+$") then elsewhere[#elsewhere + 1] = path end
    end)
    assert.same({}, missing)
    assert.same({}, elsewhere)
  end)

  it("has no example of a name that is not there", function()
    local public = {}
    help.each(function(path) public[path] = true end)
    for path in pairs(torch._part "help.example".written()) do assert.is_true(public[path], path) end
  end)

  it("has examples that show what is shown, and those of other forms the same", function()
    examples.in_folder(function()
      local count, seen = 0, {}
      help.each(function(path)
        local block = help.example(path)
        if seen[block] or block.gpu then return end
        seen[block] = true
        count = count + 1
        examples.check(path, block)
      end)
      assert.is_true(count > 1700)
    end)
  end)

  it("shows the example of an operator for its other forms", function()
    local function typed(path) return torch._part "help.example".text(help.example(path)):gsub("\n.*", "") end
    assert.equal("> torch.absolute(torch.tensor{-1, 2})", typed "torch.absolute")
    assert.equal("> torch.tensor{-1, 2}:abs()", typed "torch.Tensor.abs")
    assert.equal("> x = torch.tensor{-1, 2}\n> x:absolute_()\ntensor([1, 2])", torch._part "help.example".text(help.example "torch.Tensor.absolute_"))
    assert.equal("> torch.special.softmax(torch.tensor{1., 2., 3.}, {dim = 0})", typed "torch.special.softmax")
    assert.is_nil((help.example "torch.no_such_name"))
    assert.truthy(help.on("torch.Tensor.cumsum"):find("\n\n    > torch.tensor{1., 2., 3., 4.}:cumsum(0)\n    tensor([ 1.,", 1, true))
  end)

  it("is told by the lists whose other name, or copy, a name is", function()
    for name, other in pairs {concat = "torch.cat", multiply = "torch.mul", expand_copy = "torch.Tensor.expand", as_strided_copy = "torch.as_strided"} do
      assert.equal(other, torch._same_as(torch[name]))
    end
    assert.equal("torch.cat", torch._same_as(torch.concatenate))
    assert.is_nil(torch._same_as(torch.cat))
    assert.is_nil(torch._same_as(print))
    assert.equal("torch.float64", torch._part "help.texts"["torch.double"].same_as)
  end)

  it("has a paragraph on the names that are used most", function()
    local count, short = 0, {}
    local seen = {}
    help.each(function(_, value)
      local text = torch._help(value)
      if text and not seen[text] and text:find "\n    [^\n]+\n    %S" then count = count + 1 end
      seen[text or 0] = true
    end)
    assert.is_true(count > 200, count)
    for name in ([[torch.tensor torch.zeros torch.arange torch.randn torch.randint torch.cat torch.stack torch.matmul torch.where torch.gather
        torch.sum torch.mean torch.max torch.argmax torch.sort torch.topk torch.einsum torch.linalg.svd torch.linalg.solve torch.manual_seed
        torch.Tensor.view torch.Tensor.reshape torch.Tensor.permute torch.Tensor.to torch.Tensor.item torch.Tensor.backward torch.Tensor.rep
        torch.nn.Linear torch.nn.Conv2d torch.nn.BatchNorm2d torch.nn.LSTM torch.nn.Embedding torch.nn.CrossEntropyLoss torch.nn.Dropout
        torch.nn.functional.cross_entropy torch.nn.functional.interpolate torch.nn.functional.scaled_dot_product_attention
        torch.optim.SGD torch.optim.Adam torch.optim.AdamW]]):gmatch "%S+" do
      if not torch._help(help.value_of(name)):find "\n    [^\n]+\n    %S" then short[#short + 1] = name end
    end
    assert.same({}, short)
  end)

  it("says what follows from a formula", function()
    local function details(name) return torch._help(help.value_of(name)):match "\n    [^\n]+\n    ([^\n]+)" end
    assert.equal("Element by element, for tensors of any sizes. Integers become floating point.", details "torch.sin")
    assert.equal("Element by element, for tensors of any sizes. self is floating point.", details "torch.Tensor.sin_")
    assert.truthy(details "torch.Tensor.exp_":find "^self is floating point")
    assert.equal("Element by element; the tensors broadcast. Integers and bool alone.", details "torch.bitwise_and")
    assert.equal("Element by element; the tensors broadcast. The result is bool.", details "torch.logical_xor")
    assert.equal("Element by element; the tensors broadcast. Floating point alone.", details "torch.hypot")
  end)

  it("is as wide as a page, the example apart", function()
    local margin = 0
    for line in help.on("torch.nn.Conv2d"):gsub("\n\n.*", ""):gmatch "[^\n]+" do
      assert.is_true(#line <= 88, line)
      if line:find "^    " then margin = margin + 1 end
    end
    assert.is_true(margin > 6)
    assert.is_nil(help.on("torch.nn.Conv2d"):find "device%?\n")
  end)

  it("of a value is that of its name", function()
    assert.equal(help.page(torch.cat), help.on "cat")
    local said = "cat(Tensor[] tensors, dim dim=0) -> Tensor\n    The tensors one after the other along dim.\n    All sizes"
    assert.equal(said, torch._help(torch.cat):sub(1, #said))
    assert.truthy(help.on "Digits":find "handwritten digits")
    assert.truthy(torch._help(torch.metrics.functional.accuracy):find("^accuracy%(preds, target, task"))
  end)

  it("takes signatures from torch._define and texts from comments", function()
    assert.equal("get_device_capability(device?)\n    Returns the major and minor number of the compute capability.",
      torch._help(torch.cuda.get_device_capability))
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
