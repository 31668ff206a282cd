-- forward/loss.lua: losses whose inputs may be numbers or lists of numbers.
local torch = ...
local F = torch.nn.functional

return {
  CTCLoss = torch._define("CTCLoss.forward(self, log_probs, targets, input_lengths, target_lengths)",
    function(self, log_probs, targets, input_lengths, target_lengths)
      return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
    end),
  GaussianNLLLoss = torch._define("GaussianNLLLoss.forward(self, input, target, var)", function(self, input, target, var)
    return F.gaussian_nll_loss(input, target, var, {full = self.full, eps = self.eps, reduction = self.reduction})
  end),
}
