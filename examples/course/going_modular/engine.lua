-- engine.lua: training and testing of a classifier.
local torch = require "torch"
local engine = {}

function engine.train_step(model, dataloader, loss_fn, optimizer, device)
  model:train()
  local train_loss, train_acc = 0, 0
  for X, y in dataloader do
    X, y = X:to(device), y:to(device)
    local y_pred = model(X)
    local loss = loss_fn(y_pred, y)
    train_loss = train_loss + loss:item()
    print(torch.format("  loss %.5f", loss))
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    local y_pred_class = torch.argmax(torch.softmax(y_pred, {dim = 1}), {dim = 1})
    train_acc = train_acc + y_pred_class:eq(y):sum():item() / #y_pred
  end
  return train_loss / #dataloader, train_acc / #dataloader
end

function engine.test_step(model, dataloader, loss_fn, device)
  model:eval()
  local test_loss, test_acc = 0, 0
  local _ <close> = torch.inference_mode()
  for X, y in dataloader do
    X, y = X:to(device), y:to(device)
    local test_pred_logits = model(X)
    test_loss = test_loss + loss_fn(test_pred_logits, y):item()
    local test_pred_labels = test_pred_logits:argmax{dim = 1}
    test_acc = test_acc + test_pred_labels:eq(y):sum():item() / #test_pred_labels
  end
  return test_loss / #dataloader, test_acc / #dataloader
end

--- Trains and tests; on_epoch(results) is called after each epoch, if it is given.
function engine.train(model, train_dataloader, test_dataloader, optimizer, loss_fn, epochs, device, on_epoch)
  local results = {train_loss = {}, train_acc = {}, test_loss = {}, test_acc = {}}
  for epoch = 1, epochs do
    local train_loss, train_acc = engine.train_step(model, train_dataloader, loss_fn, optimizer, device)
    local test_loss, test_acc = engine.test_step(model, test_dataloader, loss_fn, device)
    print(("Epoch: %d | train_loss: %.5f | train_acc: %.4f | test_loss: %.5f | test_acc: %.4f"):format(
      epoch, train_loss, train_acc, test_loss, test_acc))
    for name, value in pairs{train_loss = train_loss, train_acc = train_acc, test_loss = test_loss, test_acc = test_acc} do
      table.insert(results[name], value)
    end
    if on_epoch then on_epoch(results, epoch) end
  end
  return results
end

return engine
