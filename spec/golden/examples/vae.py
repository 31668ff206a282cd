import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from common import large_digits


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 784), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


torch.manual_seed(1)
images, targets = large_digits()
train_loader = DataLoader(TensorDataset(images[:1280]), batch_size=128, shuffle=True)
test_loader = DataLoader(TensorDataset(images[1280:]), batch_size=128)

model = VAE()
optimizer = optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(1, 4):
    model.train()
    train_loss = 0
    for batch_idx, (x,) in enumerate(train_loader):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(x)
        loss = loss_function(recon_batch, x, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        print("Train Epoch: %d [%d] Loss: %.6f" % (epoch, batch_idx, loss.item() / len(x)))
    print("====> Epoch: %d Average loss: %.4f" % (epoch, train_loss / len(train_loader.dataset)))

    model.eval()
    with torch.no_grad():
        test_loss = 0
        for (x,) in test_loader:
            recon, mu, logvar = model(x)
            test_loss += loss_function(recon, x, mu, logvar).item()
    print("====> Test set loss: %.4f" % (test_loss / len(test_loader.dataset)))
