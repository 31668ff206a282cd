-- digamma and its derivatives, to the last digit of each type
local torch = require "torch"
local x = torch.tensor {-1.0, -2.0, -0.5, -3.3, 0.0, -0.0, 0.3, 5.2, 12.0, -10.0, 10.0, -7.25, -20.125, 0.499, 31.5, 1e10, math.huge, 0 / 0}
for _, dtype in ipairs {torch.float32, torch.float64} do
  for n = 0, 3 do
    for i, value in ipairs(torch.polygamma(n, x:to(dtype)):tolist()) do
      io.write(dtype == torch.float64 and ("%.12g "):format(value):gsub("%-nan", "nan") or ("%.9g "):format(value):gsub("%-nan", "nan"),
        i == #x and "\n" or "")
    end
  end
end
print(torch.digamma(torch.linspace(-3.9, 11, 40)))
