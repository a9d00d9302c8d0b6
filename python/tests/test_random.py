"""The generator gives the bits that TypeScript gives: both suites read the same golden values."""

import json
import pathlib
import struct
import unittest

import numpy as np

from dreamloop import DreamloopError
from dreamloop.random import STREAM_WORDS, RandomStream

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = json.loads(next((ROOT / "packages/core/src").rglob("golden-values.json")).read_text())


def stream_of(golden):
    address = golden["address"]
    return RandomStream(seed=int(address["seed"]), step=address["step"], sub_step=address["subStep"], stream=address["stream"])


def bits(value):
    return struct.pack(">d", value).hex()


class GoldenValues(unittest.TestCase):
    def test_n9_words_uniforms_normals_and_integers_are_those_of_typescript(self):
        for golden in GOLDEN["streams"]:
            with self.subTest(golden["address"]):
                self.assertEqual([f"{word:08x}" for word in stream_of(golden).uint32(8)], golden["words"])
                one_by_one = stream_of(golden)
                self.assertEqual([bits(one_by_one.uniform()) for _ in range(4)], golden["uniforms"])
                one_by_one = stream_of(golden)
                self.assertEqual([bits(one_by_one.normal()) for _ in range(4)], golden["normals"])
                self.assertEqual([bits(value) for value in stream_of(golden).normal(4, np.float64)], golden["normals"])
                one_by_one = stream_of(golden)
                self.assertEqual([one_by_one.integer(1_000_003) for _ in range(5)], golden["integers"])

    def test_n9_arrays_of_float32_have_the_checksum_of_typescript(self):
        for golden in GOLDEN["streams"]:
            checksum = 0x811C9DC5
            for (word,) in struct.iter_unpack(">I", stream_of(golden).normal(5376).astype(">f4").tobytes()):
                checksum = ((checksum ^ word) * 0x01000193) & 0xFFFFFFFF
            self.assertEqual(f"{checksum:08x}", golden["float32NormalsChecksum"])


class Streams(unittest.TestCase):
    def test_a_draw_depends_on_its_position_alone(self):
        whole = RandomStream(seed=3, step=1, stream="a").normal(101, np.float64)
        parts = RandomStream(seed=3, step=1, stream="a")
        found = np.concatenate([parts.normal(count, np.float64) for count in (1, 50, 0, 50)])
        self.assertTrue((whole == found).all())
        parts.seek(20)
        self.assertEqual(parts.normal(), whole[10])

    def test_shapes_are_kept_and_numbers_stay_in_range(self):
        stream = RandomStream(seed=1, step=0, stream="x")
        self.assertEqual(stream.uniform((2, 3)).shape, (2, 3))
        self.assertEqual(stream.normal([4]).dtype, np.float32)
        values = stream.uniform(10_000, np.float64)
        self.assertTrue(((values >= 0) & (values < 1)).all())
        self.assertTrue(all(0 <= stream.integer(2**40) < 2**40 for _ in range(20)))

    def test_what_is_no_address_shape_or_bound_is_refused(self):
        for wrong in ({"seed": -1}, {"seed": 0.5}, {"step": 2**53}, {"sub_step": 2048}, {"stream": ""}, {"stream": "é"}, {"stream": True}):
            with self.assertRaises(DreamloopError):
                RandomStream(**{"seed": 0, "step": 0, "stream": "a", **wrong})
        stream = RandomStream(seed=0, step=0, stream="a")
        for call in (lambda: stream.normal((2, -1)), lambda: stream.normal("ab"), lambda: stream.integer(0)):
            with self.assertRaises(DreamloopError):
                call()
        stream.seek(STREAM_WORDS)
        with self.assertRaises(DreamloopError) as caught:
            stream.uniform()
        self.assertEqual(caught.exception.code, "limit_exceeded")


if __name__ == "__main__":
    unittest.main()
