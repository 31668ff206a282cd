import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from common import large_digits

images, targets = large_digits()
train_data, test_data = TensorDataset(images[:960], targets[:960]), TensorDataset(images[1500:], targets[1500:])
class_names = [str(i) for i in range(10)]
BATCH_SIZE = 32


def accuracy_fn(y_true, y_pred):
    return torch.eq(y_true, y_pred).sum().item() / len(y_pred) * 100


def train_step(model, data_loader, loss_fn, optimizer):
    train_loss, train_acc = 0, 0
    model.train()
    for batch, (X, y) in enumerate(data_loader):
        y_pred = model(X)
        loss = loss_fn(y_pred, y)
        train_loss += loss.detach()
        train_acc += accuracy_fn(y, y_pred.argmax(dim=1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"  loss {loss:.5f}")
    train_loss /= len(data_loader)
    train_acc /= len(data_loader)
    print(f"Train loss: {train_loss:.5f} | Train accuracy: {train_acc:.2f}%")


def eval_model(model, data_loader, loss_fn):
    loss, acc = 0, 0
    model.eval()
    with torch.inference_mode():
        for X, y in data_loader:
            y_pred = model(X)
            loss += loss_fn(y_pred, y)
            acc += accuracy_fn(y, y_pred.argmax(dim=1))
    return {"model_name": model.__class__.__name__, "model_loss": (loss / len(data_loader)).item(), "model_acc": acc / len(data_loader)}


class FashionMNISTModelV0(nn.Module):
    def __init__(self, input_shape, hidden_units, output_shape):
        super().__init__()
        self.layer_stack = nn.Sequential(
            nn.Flatten(),
            nn.Linear(in_features=input_shape, out_features=hidden_units),
            nn.Linear(in_features=hidden_units, out_features=output_shape))

    def forward(self, x):
        return self.layer_stack(x)


class FashionMNISTModelV2(nn.Module):
    def __init__(self, input_shape, hidden_units, output_shape):
        super().__init__()
        self.block_1 = nn.Sequential(
            nn.Conv2d(in_channels=input_shape, out_channels=hidden_units, kernel_size=3, stride=1, padding=1),
            nn.ReLU(),
            nn.Conv2d(in_channels=hidden_units, out_channels=hidden_units, kernel_size=3, stride=1, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2))
        self.block_2 = nn.Sequential(
            nn.Conv2d(hidden_units, hidden_units, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(hidden_units, hidden_units, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(in_features=hidden_units * 7 * 7, out_features=output_shape))

    def forward(self, x):
        return self.classifier(self.block_2(self.block_1(x)))


for cls in (FashionMNISTModelV0, FashionMNISTModelV2):
    torch.manual_seed(42)
    train_dataloader = DataLoader(train_data, batch_size=BATCH_SIZE, shuffle=True)
    test_dataloader = DataLoader(test_data, batch_size=BATCH_SIZE, shuffle=False)
    model = cls(784 if cls is FashionMNISTModelV0 else 1, 10, len(class_names))
    print(model)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(params=model.parameters(), lr=0.1)
    for epoch in range(2):
        print("Epoch: %d" % epoch)
        train_step(model, train_dataloader, loss_fn, optimizer)
        result = eval_model(model, test_dataloader, loss_fn)
        print("%s: test loss %.5f, accuracy %.2f" % (result["model_name"], result["model_loss"], result["model_acc"]))
