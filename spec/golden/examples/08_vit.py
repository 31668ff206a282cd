import torch
from torch import nn
from torchvision import transforms
import going_modular


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels, patch_size, embedding_dim):
        super().__init__()
        self.patch_size = patch_size
        self.patcher = nn.Conv2d(in_channels=in_channels, out_channels=embedding_dim, kernel_size=patch_size, stride=patch_size, padding=0)
        self.flatten = nn.Flatten(start_dim=2, end_dim=3)

    def forward(self, x):
        return self.flatten(self.patcher(x)).permute(0, 2, 1)


class MultiheadSelfAttentionBlock(nn.Module):
    def __init__(self, embedding_dim, num_heads, attn_dropout):
        super().__init__()
        self.layer_norm = nn.LayerNorm(normalized_shape=embedding_dim)
        self.multihead_attn = nn.MultiheadAttention(embed_dim=embedding_dim, num_heads=num_heads, dropout=attn_dropout, batch_first=True)

    def forward(self, x):
        x = self.layer_norm(x)
        attn_output, _ = self.multihead_attn(query=x, key=x, value=x, need_weights=False)
        return attn_output


class MLPBlock(nn.Module):
    def __init__(self, embedding_dim, mlp_size, dropout):
        super().__init__()
        self.layer_norm = nn.LayerNorm(normalized_shape=embedding_dim)
        self.mlp = nn.Sequential(
            nn.Linear(in_features=embedding_dim, out_features=mlp_size),
            nn.GELU(),
            nn.Dropout(p=dropout),
            nn.Linear(in_features=mlp_size, out_features=embedding_dim),
            nn.Dropout(p=dropout))

    def forward(self, x):
        return self.mlp(self.layer_norm(x))


class TransformerEncoderBlock(nn.Module):
    def __init__(self, embedding_dim, num_heads, mlp_size, mlp_dropout, attn_dropout):
        super().__init__()
        self.msa_block = MultiheadSelfAttentionBlock(embedding_dim, num_heads, attn_dropout)
        self.mlp_block = MLPBlock(embedding_dim, mlp_size, mlp_dropout)

    def forward(self, x):
        x = self.msa_block(x) + x
        x = self.mlp_block(x) + x
        return x


class ViT(nn.Module):
    def __init__(self, img_size=32, in_channels=3, patch_size=8, layers=2, dim=32, mlp_size=64, heads=4, num_classes=3):
        super().__init__()
        num_patches = img_size * img_size // (patch_size * patch_size)
        self.class_embedding = nn.Parameter(torch.randn(1, 1, dim), requires_grad=True)
        self.position_embedding = nn.Parameter(torch.randn(1, num_patches + 1, dim), requires_grad=True)
        self.embedding_dropout = nn.Dropout(p=0.1)
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, dim)
        self.transformer_encoder = nn.Sequential(*[TransformerEncoderBlock(dim, heads, mlp_size, 0.1, 0.0) for _ in range(layers)])
        self.classifier = nn.Sequential(nn.LayerNorm(normalized_shape=dim), nn.Linear(in_features=dim, out_features=num_classes))

    def forward(self, x):
        batch_size = x.shape[0]
        class_token = self.class_embedding.expand(batch_size, -1, -1)
        x = self.patch_embedding(x)
        x = torch.cat((class_token, x), dim=1)
        x = self.position_embedding + x
        x = self.embedding_dropout(x)
        x = self.transformer_encoder(x)
        return self.classifier(x[:, 0])


root = going_modular.draw({"train": 16, "test": 8})
transform = transforms.Compose([transforms.Resize((32, 32)), transforms.ConvertImageDtype(torch.float)])
train_dataloader, test_dataloader, class_names = going_modular.create_dataloaders(
    root + "/train", root + "/test", transform, transform, 8)

torch.manual_seed(42)
vit = ViT(num_classes=len(class_names))
print(vit)
optimizer = torch.optim.Adam(params=vit.parameters(), lr=3e-3, betas=(0.9, 0.999), weight_decay=0.3)
loss_fn = nn.CrossEntropyLoss()
torch.manual_seed(42)
going_modular.train(vit, train_dataloader, test_dataloader, optimizer, loss_fn, 4)
going_modular.remove(root)
