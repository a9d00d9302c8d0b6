"""Reading the rendered drives."""

import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

WIDTH, HEIGHT, FRAMES, PLANES = 384, 224, 32, 6


class Drive:
    """One rendered drive: a map file and a picture file per look, mapped into memory."""

    def __init__(self, record_path):
        base = str(record_path)[: -len(".json")]
        self.name = record_path.stem
        self.record = json.loads(record_path.read_text())
        self.map = np.memmap(base + ".map", np.uint8, "r", shape=(FRAMES, PLANES, HEIGHT, WIDTH))
        self.classes = np.memmap(base + ".classes", np.uint8, "r", shape=(FRAMES, HEIGHT, WIDTH))
        self.pictures = [
            np.memmap(f"{base}.{index}.rgb", np.uint8, "r", shape=(FRAMES, HEIGHT, WIDTH, 3))
            for index in range(len(self.record["clips"]))
        ]
        self.motion = np.array(self.record["motion"], np.float32)


class Drives:
    """All drives of a split that are complete; `refresh` picks up those that were written since."""

    def __init__(self, folder, split):
        self.folder, self.split = pathlib.Path(folder), split
        self.drives = []
        self.refresh()

    def refresh(self):
        known = {drive.name for drive in self.drives}
        for path in sorted(self.folder.glob(f"{self.split}-*.json")):
            if path.stem not in known:
                self.drives.append(Drive(path))

    def frames(self, random, count):
        """Random frames: pictures `[count, 48, 56, 96]` and maps `[count, 96, 56, 96]`, unshuffled by 4, as float in 0..1."""
        pictures = np.empty((count, HEIGHT, WIDTH, 3), np.uint8)
        maps = np.empty((count, PLANES, HEIGHT, WIDTH), np.uint8)
        for index in range(count):
            drive = self.drives[random.integers(len(self.drives))]
            frame = random.integers(FRAMES)
            pictures[index] = drive.pictures[random.integers(len(drive.pictures))][frame]
            maps[index] = drive.map[frame]
        return unshuffled(torch.from_numpy(pictures).permute(0, 3, 1, 2)), unshuffled(torch.from_numpy(maps))


def unshuffled(planes, dtype=torch.float32):
    """Bytes `[n, c, 224, 384]` to numbers `[n, 16 c, 56, 96]` in 0..1, channels last in memory."""
    n, c, h, w = planes.shape
    blocks = planes.reshape(n, c, h // 4, 4, w // 4, 4).permute(0, 1, 3, 5, 2, 4).reshape(n, c * 16, h // 4, w // 4)
    return blocks.to(dtype, memory_format=torch.channels_last).mul_(1 / 255)


def shuffled(blocks):
    """The inverse of `unshuffled`, without the change of scale."""
    return F.pixel_shuffle(blocks, 4)
