-- before.lua: what the indented blocks of some pages take for granted, as Lua that runs before them. spec/docs/blocks_spec.lua
-- types it before each block, and the site's pages before the first one that a visitor runs.
return {
  ["docs/differences.md"] = [[
    digits = torch.utils.data.TensorDataset(torch.zeros(1797, 1)) x = torch.rand(4, 2, 2) t = torch.zeros(3)
    lstm = torch.nn.LSTM(2, 3) h0 = torch.zeros(1, 2, 3) c0 = h0:clone()
    dataset = torch.utils.data.TensorDataset(torch.zeros(2), torch.ones(2)) model = torch.nn.Linear(1, 1)
    evaluate = tostring f = tostring b = torch.ones(1, {requires_grad = true}):sum()]],
  ["docs/lua-modules.md"] = [[
    probs = torch.tensor{0.25, 0.75} mu, sigma, reward = torch.zeros(2), torch.ones(2), 1 t = {1, 2, 3} loss = 0.5 losses = {3, 2, 1}
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(4), torch.ones(4)), {batch_size = 2})]],
  ["docs/adding-a-function.md"] = "random = {}",
  ["docs/plot.md"] = [[
    plot = torch.plot digits = torch.datasets.Digits() losses, train_losses, test_losses = {3, 2, 1}, {3, 2}, {3, 1}]],
  ["docs/training.md"] = [[
    nn = torch.nn model = nn.Sequential(nn.Flatten(), nn.LazyLinear(10)) x = torch.rand(4, 3, 64, 64) y = torch.tensor{1, 2, 3, 4} model(x)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), {batch_size = 2}) loss, step = torch.tensor(0.5), 1
    optimizer = torch.optim.SGD(model:parameters(), {lr = 0.1}) self = {block = model} loss_fn = nn.CrossEntropyLoss()]],
}
