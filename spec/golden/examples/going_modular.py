"""Shared by the course's later chapters (examples/course/going_modular)."""
import os
import shutil
import tempfile

import torch
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torchvision.io import read_image
import common  # noqa: F401 (one thread)


def draw(counts):
    root = tempfile.mkdtemp()
    generator = torch.Generator().manual_seed(7)

    def random(low, high, size):
        return torch.randint(low, high, size, generator=generator)
    y, x = torch.arange(32).view(32, 1), torch.arange(32).view(1, 32)
    shapes = {
        "circle": lambda dy, dx, r: dy * dy + dx * dx <= r * r,
        "cross": lambda dy, dx, r: ((dy.abs() <= 1) | (dx.abs() <= 1)) & (dy.abs() <= r) & (dx.abs() <= r),
        "square": lambda dy, dx, r: (dy.abs() <= r) & (dx.abs() <= r)}
    for split in ("train", "test"):
        for cls in ("circle", "cross", "square"):
            os.makedirs(f"{root}/{split}/{cls}")
            for i in range(counts[split]):
                noise, colour = random(0, 60, (3, 32, 32)), random(120, 256, (3, 1, 1))
                cy, cx = random(6, 26, (2,)).tolist()
                r = random(4, 8, (1,)).item()
                picture = torch.where(shapes[cls](y - cy, x - cx, r), colour, noise)
                torchvision.io.write_png(picture.to(torch.uint8), f"{root}/{split}/{cls}/{i:02d}.png")
    return root


def remove(root):
    shutil.rmtree(root)


def create_dataloaders(train_dir, test_dir, train_transform, test_transform, batch_size):
    train_data = torchvision.datasets.ImageFolder(train_dir, transform=train_transform, loader=read_image)
    test_data = torchvision.datasets.ImageFolder(test_dir, transform=test_transform, loader=read_image)
    return (DataLoader(train_data, batch_size=batch_size, shuffle=True),
            DataLoader(test_data, batch_size=batch_size, shuffle=False), train_data.classes)


def train_step(model, dataloader, loss_fn, optimizer):
    model.train()
    train_loss, train_acc = 0, 0
    for X, y in dataloader:
        y_pred = model(X)
        loss = loss_fn(y_pred, y)
        train_loss += loss.item()
        print(f"  loss {loss:.5f}")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        y_pred_class = torch.argmax(torch.softmax(y_pred, dim=1), dim=1)
        train_acc += (y_pred_class == y).sum().item() / len(y_pred)
    return train_loss / len(dataloader), train_acc / len(dataloader)


def test_step(model, dataloader, loss_fn):
    model.eval()
    test_loss, test_acc = 0, 0
    with torch.inference_mode():
        for X, y in dataloader:
            test_pred_logits = model(X)
            test_loss += loss_fn(test_pred_logits, y).item()
            test_pred_labels = test_pred_logits.argmax(dim=1)
            test_acc += (test_pred_labels == y).sum().item() / len(test_pred_labels)
    return test_loss / len(dataloader), test_acc / len(dataloader)


def train(model, train_dataloader, test_dataloader, optimizer, loss_fn, epochs, on_epoch=None):
    results = {"train_loss": [], "train_acc": [], "test_loss": [], "test_acc": []}
    for epoch in range(1, epochs + 1):
        train_loss, train_acc = train_step(model, train_dataloader, loss_fn, optimizer)
        test_loss, test_acc = test_step(model, test_dataloader, loss_fn)
        print(f"Epoch: {epoch} | train_loss: {train_loss:.5f} | train_acc: {train_acc:.4f} | test_loss: {test_loss:.5f} | test_acc: {test_acc:.4f}")
        for name, value in (("train_loss", train_loss), ("train_acc", train_acc), ("test_loss", test_loss), ("test_acc", test_acc)):
            results[name].append(value)
        if on_epoch:
            on_epoch(results, epoch)
    return results


class TinyVGG(nn.Module):
    def __init__(self, input_shape, hidden_units, output_shape):
        super().__init__()
        self.conv_block_1 = nn.Sequential(
            nn.Conv2d(in_channels=input_shape, out_channels=hidden_units, kernel_size=3, stride=1, padding=0),
            nn.ReLU(),
            nn.Conv2d(in_channels=hidden_units, out_channels=hidden_units, kernel_size=3, stride=1, padding=0),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2))
        self.conv_block_2 = nn.Sequential(
            nn.Conv2d(hidden_units, hidden_units, kernel_size=3, padding=0),
            nn.ReLU(),
            nn.Conv2d(hidden_units, hidden_units, kernel_size=3, padding=0),
            nn.ReLU(),
            nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(in_features=hidden_units * 5 * 5, out_features=output_shape))

    def forward(self, x):
        return self.classifier(self.conv_block_2(self.conv_block_1(x)))
