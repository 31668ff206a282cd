import torch
import torchvision
from torch import nn
from torchvision import transforms
import going_modular

root = going_modular.draw({"train": 8, "test": 4})
normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
transform = transforms.Compose([transforms.Resize(32), transforms.ConvertImageDtype(torch.float), normalize])
train_dataloader, test_dataloader, class_names = going_modular.create_dataloaders(
    root + "/train", root + "/test", transform, transform, 8)

torch.manual_seed(42)
model = torchvision.models.efficientnet_b0()
for param in model.features.parameters():
    param.requires_grad = False

torch.manual_seed(42)
model.classifier = nn.Sequential(
    nn.Dropout(p=0.2, inplace=True),
    nn.Linear(in_features=1280, out_features=len(class_names), bias=True))
trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
print(trainable, "of", sum(p.numel() for p in model.parameters()), "numbers are learned")

loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
torch.manual_seed(42)
going_modular.train(model, train_dataloader, test_dataloader, optimizer, loss_fn, 3)
going_modular.remove(root)
