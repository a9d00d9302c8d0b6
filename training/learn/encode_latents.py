"""Stage 2: encodes all frames once, so that the dynamics train on latents."""

import argparse
import pathlib

import numpy as np
import torch

from autoencoder import Autoencoder
from data import Drives, unshuffled


@torch.no_grad()
def main():
    options = argparse.ArgumentParser()
    options.add_argument("--data", default="training/data")
    options.add_argument("--autoencoder", default="training/out/autoencoder.pt")
    options.add_argument("--splits", nargs="+", default=["validation", "train"])
    options = options.parse_args()
    model = Autoencoder()
    model.load_state_dict(torch.load(options.autoencoder))
    model = model.eval().to(memory_format=torch.channels_last)
    for split in options.splits:
        for drive in Drives(options.data, split).drives:
            latents = []
            for pictures in drive.pictures:
                with torch.cpu.amp.autocast(dtype=torch.bfloat16):
                    latents.append(model.encode(unshuffled(torch.from_numpy(np.array(pictures)).permute(0, 3, 1, 2))))
            path = pathlib.Path(options.data) / f"{drive.name}.latents.npy"
            np.save(path.with_suffix(".tmp.npy"), torch.stack(latents).float().half().numpy())
            path.with_suffix(".tmp.npy").rename(path)
        print(f"{split} encoded", flush=True)


if __name__ == "__main__":
    main()
