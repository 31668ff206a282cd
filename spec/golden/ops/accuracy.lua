-- The questions of an evaluation loop.
local torch = require "torch"
local logits = torch.tensor{{2.0, 1.0, 0.1}, {0.5, 2.5, 0.3}, {1.2, 0.2, 3.1}, {0.3, 0.2, 0.1}}
local labels = torch.tensor{0, 1, 1, 0}
local predicted = logits:argmax{dim = 1}
print(predicted, predicted:eq(labels), predicted:eq(labels):sum():item())
print(predicted:eq(labels):float():mean(), 100 * predicted:eq(labels):sum():item() / #labels)
local _, best = torch.max(logits, 1)
print(best, torch.equal(best, predicted))
print((torch.softmax(logits, {dim = 1}):max(1)))
print(torch.round(torch.sigmoid(torch.tensor{-1.0, 0.2, 3.0})))
