-- networks_spec.lua: networks that strangers ship (spec/support/networks.lua), in the formats they ship them in, give PyTorch's numbers
-- (spec/golden/networks.py).
local torch = require "torch"
local networks = require "networks"

local folder = "spec/golden/networks/"
local answers = torch.load(folder .. "answers.safetensors")

local function compare(name, ...)
  for i, got in ipairs {...} do
    torch.testing.assert_close(got, answers[("%s.%d"):format(name, i - 1)], {rtol = 1e-5, atol = 1e-5})
  end
  local count = select("#", ...)
  assert.is_true(count > 0 and answers[("%s.%d"):format(name, count)] == nil, "another number of results")
end

local function compare_network(name, network)
  network:eval()
  torch.no_grad(function() compare(name, network(answers[name .. ".input"])) end)
end

describe("a network of a stranger:", function()
  it("a face detector in the old format", function()
    local net = networks.PNet()
    assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(torch.load(folder .. "pnet.pt"))))
    compare_network("pnet", net)
  end)

  for number, name in ipairs {"RNet", "ONet"} do
    it("a face detector that came back from the old format: " .. name, function()
      torch.manual_seed(number)
      local made, net = networks[name](), networks[name]()
      local bytes = torch.serialization.save_bytes(made:state_dict(), true)
      net:load_state_dict(torch.serialization.load_bytes(bytes))
      compare_network(name:lower(), net)
    end)
  end

  it("a speaker encoder of three recurrent layers, beside other things", function()
    local net = networks.VoiceEncoder(10, 16)
    local checkpoint = torch.load(folder .. "encoder.pt", {map_location = "cpu"})
    assert.are.equal(7, checkpoint.step)
    local result = net:load_state_dict(checkpoint.model_state, {strict = false})
    assert.are.equal("_IncompatibleKeys(missing_keys=[], unexpected_keys=['similarity_weight', 'similarity_bias'])", tostring(result))
    compare_network("encoder", net)
  end)

  it("a pitch tracker of convolutions padded unevenly", function()
    local net = networks.Crepe({8, 4, 4, 4, 6, 8}, 36)
    net:load_state_dict(torch.load(folder .. "crepe.pth", {weights_only = true}))
    compare_network("crepe", net)
  end)

  it("a voice detector in safetensors that keeps a state", function()
    local net = networks.VoiceDetector(32, {8, 6, 6, 8}):eval()
    net:load_state_dict(torch.utils.safetensors.load_file(folder .. "detector.safetensors"))
    torch.no_grad(function()
      local input, state, results = answers["detector.input"], nil, {}
      for i = 0, #input - 1 do results[i + 1], state = net(input[i], state) end
      compare("detector", torch.cat(results), torch.stack(state))
    end)
  end)
end)
