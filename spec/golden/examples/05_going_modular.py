import torch
from torchvision import transforms
import going_modular

root = going_modular.draw({"train": 16, "test": 8})
data_transform = transforms.Compose([transforms.Resize((32, 32)), transforms.ConvertImageDtype(torch.float)])
train_dataloader, test_dataloader, class_names = going_modular.create_dataloaders(
    root + "/train", root + "/test", data_transform, data_transform, 8)
print(" ".join(class_names))

torch.manual_seed(42)
model = going_modular.TinyVGG(3, 10, len(class_names))
print(model)
loss_fn = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
results = going_modular.train(model, train_dataloader, test_dataloader, optimizer, loss_fn, 3)
print(f"loaded again: test_loss {results['test_loss'][-1]:.5f}")
going_modular.remove(root)
