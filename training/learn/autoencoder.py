"""The autoencoder: pictures to latents at 1/16, and back with the help of the map frame."""

import torch
from torch import nn
import torch.nn.functional as F

LATENT_CHANNELS = 16


def activate(x):
    """ReLU, which ONNX Runtime fuses with the convolution before it."""
    return F.relu(x)


class Residual(nn.Module):
    """Two 3x3 convolutions around which the input is passed."""

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.normal_(self.second.weight, std=0.2 * (2 / (9 * channels)) ** 0.5)

    def forward(self, x):
        return x + self.second(activate(self.first(activate(x))))


class Encoder(nn.Module):
    """Unshuffled picture `[n, 48, 56, 96]` in 0..1 to latent `[n, 16, 14, 24]` within ±1."""

    def __init__(self):
        super().__init__()
        self.enter = nn.Conv2d(48, 64, 3, padding=1)
        self.down8 = nn.Conv2d(64, 96, 3, stride=2, padding=1)
        self.at8 = Residual(96)
        self.down16 = nn.Conv2d(96, 160, 3, stride=2, padding=1)
        self.at16 = Residual(160)
        self.leave = nn.Conv2d(160, LATENT_CHANNELS, 3, padding=1)

    def forward(self, picture):
        x = activate(self.enter(picture - 0.5))
        x = self.at8(activate(self.down8(x)))
        x = self.at16(activate(self.down16(x)))
        return torch.tanh(self.leave(activate(x)))


class Decoder(nn.Module):
    """Latent and unshuffled map `[n, 96, 56, 96]` in 0..1 to unshuffled picture `[n, 48, 56, 96]`.

    The map reaches the picture on two ways: into the trunk at 1/8 and 1/4, and past it as features that the trunk only gates,
    so that an edge keeps its place within a 4x4 block.
    """

    def __init__(self):
        super().__init__()
        self.map_features = nn.Conv2d(96, 96, 1)
        self.map_to4 = nn.Conv2d(96, 40, 1)
        self.map_to8 = nn.Conv2d(40, 64, 3, stride=2, padding=1)
        self.enter = nn.Conv2d(LATENT_CHANNELS, 160, 3, padding=1)
        self.at16 = Residual(160)
        self.up8 = nn.Conv2d(160, 96, 1)
        self.join8 = nn.Conv2d(64, 96, 1)
        self.at8 = Residual(96)
        self.up4 = nn.Conv2d(96, 40, 1)
        self.at4 = nn.Sequential(Residual(40), Residual(40))
        self.gate = nn.Conv2d(40, 96, 1)
        self.leave = nn.Conv2d(136, 48, 1)
        self.join_blocks = nn.Conv2d(48, 48, 3, padding=1)
        nn.init.normal_(self.join_blocks.weight, std=1e-3)

    def forward(self, latent, map_blocks):
        return self.from_features(latent, activate(self.map_features(map_blocks - 0.5)))

    def from_features(self, latent, features):
        """As `forward`, from the activated map features `[n, 96, 56, 96]`."""
        map4 = self.map_to4(features)
        map8 = activate(self.map_to8(activate(map4)))
        x = self.at16(activate(self.enter(latent)))
        x = F.interpolate(self.up8(activate(x)), scale_factor=2.0, mode="nearest") + self.join8(map8)
        x = self.at8(activate(x))
        x = F.interpolate(self.up4(activate(x)), scale_factor=2.0, mode="nearest") + map4
        x = activate(self.at4(activate(x)))
        features = features * (1 + self.gate(x))
        picture = self.leave(torch.cat([x, features], 1))
        return picture + self.join_blocks(picture) + 0.5


class Autoencoder(nn.Module):
    """Both halves, with the scale that brings latents to about unit variance."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.register_buffer("latent_mean", torch.zeros(LATENT_CHANNELS))
        self.register_buffer("latent_std", torch.ones(LATENT_CHANNELS))

    def encode(self, picture):
        """Unshuffled picture to normalised latent."""
        raw = self.encoder(picture)
        return (raw - self.latent_mean[:, None, None]) / self.latent_std[:, None, None]

    def decode(self, latent, map_blocks):
        """Normalised latent and unshuffled map to unshuffled picture."""
        raw = latent * self.latent_std[:, None, None] + self.latent_mean[:, None, None]
        return self.decoder(raw, map_blocks)
