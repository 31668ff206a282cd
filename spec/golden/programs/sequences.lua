-- Recurrent layers in two directions over packed and padded sequences, with projections.
local torch = require "torch"
torch.set_printoptions{precision = 2, sci_mode = false}
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
 for _, auto in ipairs {false} do if not (auto and dtype == torch.float64) then
  for _, kind in ipairs {"lstm", "gru", "rnn_tanh", "rnn_relu"} do
  for _, proj in ipairs {0, 3} do if proj == 0 or kind == "lstm" then
    torch.manual_seed(0)
    local I, H, layers = 5, 6, 2
    local G = kind == "lstm" and 4 or kind == "gru" and 3 or 1
    local R = proj > 0 and proj or H
    local ws = {}
    for l = 1, layers do for d = 1, 2 do
      local inp = l == 1 and I or 2 * R
      for _, s in ipairs {{G * H, inp}, {G * H, R}, {G * H}, {G * H}} do ws[#ws + 1] = (torch.randn(s) * 0.3):to(dtype):requires_grad_() end
      if proj > 0 then ws[#ws + 1] = (torch.randn(R, H) * 0.3):to(dtype):requires_grad_() end
    end end
    local x = torch.randn(4, 7, I):to(dtype):requires_grad_()
    local lengths = torch.tensor({7, 5, 5, 2}, {device = "cpu"})
    local h0, c0 = torch.randn(2 * layers, 4, R):to(dtype):requires_grad_(), torch.randn(2 * layers, 4, H):to(dtype)
    local function body()
      local data, sizes = torch._pack_padded_sequence(x, lengths, true)
      show("packed", data) print(sizes)
      local hx = kind == "lstm" and {h0, c0} or h0
      local out, h, c = torch[kind](data, sizes, hx, ws, true, layers, 0.0, true, true)
      local padded, lens = torch._pad_packed_sequence(out, sizes, true, 0.0, 7)
      show("padded", padded) show("h", h) if c then show("c", c) end
      local y, hn = torch[kind](x, hx, ws, true, layers, 0.0, true, true, true)
      show("y", y) show("hn", hn)
      return padded:float():pow(2):sum() + h:float():sum() + y:float():sin():sum()
    end
    print(kind, proj, dtype, auto)
    local loss
    if auto then torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function() loss = body() end) else loss = body() end
    loss:backward()
    print(torch.format("%.3f", loss))
    show("gx", x.grad) show("gh", h0.grad) for _, w in ipairs(ws) do show("gw", w.grad) end
  end end end
 end end
end
