import os
import tempfile

import torch
from torch import nn
import common  # noqa: F401 (one thread)

weight, bias = 0.7, 0.3
X = torch.arange(0, 1, 0.02).unsqueeze(dim=1)
y = weight * X + bias
train_split = int(0.8 * len(X))
X_train, y_train = X[:train_split], y[:train_split]
X_test, y_test = X[train_split:], y[train_split:]
print(len(X_train), len(y_train), len(X_test), len(y_test), sep="\t")


class LinearRegressionModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(1, dtype=torch.float), requires_grad=True)
        self.bias = nn.Parameter(torch.randn(1, dtype=torch.float), requires_grad=True)

    def forward(self, x):
        return self.weights * x + self.bias


torch.manual_seed(42)
model_0 = LinearRegressionModel()
for name, value in model_0.state_dict().items():
    print(name, value, sep="\t")

loss_fn = nn.L1Loss()
optimizer = torch.optim.SGD(params=model_0.parameters(), lr=0.01)
epochs = 100
for epoch in range(epochs):
    model_0.train()
    y_pred = model_0(X_train)
    loss = loss_fn(y_pred, y_train)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    model_0.eval()
    with torch.inference_mode():
        test_loss = loss_fn(model_0(X_test), y_test)
    if epoch < 20 or epoch % 10 == 0:
        print(f"Epoch: {epoch} | MAE Train Loss: {loss:.6f} | MAE Test Loss: {test_loss:.6f}")

path = tempfile.mktemp()
torch.save(obj=model_0.state_dict(), f=path)
loaded_model_0 = LinearRegressionModel()
print(loaded_model_0.load_state_dict(torch.load(f=path)))
os.remove(path)
loaded_model_0.eval()
with torch.inference_mode():
    print(str(model_0(X_test).eq(loaded_model_0(X_test)).all().item()).lower())
