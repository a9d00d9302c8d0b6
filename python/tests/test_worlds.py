"""Worlds run as they are documented: frames, state, random numbers, values, snapshots."""

import json
import unittest

import numpy as np

from dreamloop import DreamloopError, Video
from dreamloop.frames import write_frames
from dreamloop.protocol import MAGIC, Channel, read_header
from dreamloop.values import decode, encode

from worlds import NEVER, open_session, run_steps

WALK = """
class Walk(World):
    id = "walk"
    video = Video(6, 4, fps=10)
    controls = {"drive": "driver_command"}
    prompt = text(default="a", live=True)

    def start(self, ctx):
        return {"place": np.zeros(3), "past": [], "seed": ctx.seed}

    def step(self, ctx):
        place = ctx.state["place"] + ctx.random("walk").normal(3, np.float64)
        frame = np.zeros((4, 6, 3), np.uint8) + (place * 50).astype(np.int64).astype(np.uint8)
        frame[0, 0] = len(ctx.initial.prompt)
        return frame, {**ctx.state, "place": place, "past": [*ctx.state["past"], (ctx.step_index, None)]}
"""


class Frames(unittest.TestCase):
    def converted(self, array, **how):
        video = Video(3, 2, fps=10, **how)
        count = video.frames_of_step(0)
        target = np.zeros((count, 2, 3, 3), np.uint8)
        write_frames(array, video, count, target, None)
        return target

    def test_every_layout_and_range_gives_the_same_bytes(self):
        wanted = np.arange(36, dtype=np.uint8).reshape(2, 2, 3, 3) * 7
        unit = wanted.astype(np.float32) / 255
        arrays = {
            ("hwc", "full"): wanted,
            ("chw", "full"): wanted.transpose(0, 3, 1, 2),
            ("cthw", "full"): wanted.transpose(3, 0, 1, 2),
            ("hwc", "unit"): unit,
            ("chw", "signed"): (unit * 2 - 1).transpose(0, 3, 1, 2),
            ("cthw", "unit"): unit.transpose(3, 0, 1, 2).astype(np.float64),
        }
        for (layout, value_range), array in arrays.items():
            with self.subTest(layout=layout, range=value_range):
                found = self.converted(array, layout=layout, range=value_range, frames_per_step=2)
                np.testing.assert_array_equal(found, wanted)
                batch = self.converted(array[None], layout=layout, range=value_range, frames_per_step=2)
                np.testing.assert_array_equal(batch, wanted)
        np.testing.assert_array_equal(self.converted(list(wanted), frames_per_step=2), wanted)

    def test_floats_are_clamped_and_rounded_half_up(self):
        values = np.array([-0.2, 0, 0.5 / 255, 0.49 / 255, 1, 1.3], np.float64)
        array = np.repeat(values.reshape(2, 3, 1), 3, axis=2)
        self.assertEqual(self.converted(array, range="unit")[0, :, :, 0].ravel().tolist(), [0, 0, 1, 0, 255, 255])

    def test_tensors_give_what_arrays_give(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        unit = np.random.default_rng(1).random((1, 3, 2, 3), np.float32)
        for layout, array in (("chw", unit), ("hwc", unit.transpose(0, 2, 3, 1)), ("cthw", unit.transpose(1, 0, 2, 3))):
            tensor = torch.from_numpy(array.copy()).requires_grad_()
            same = self.converted(array, layout=layout, range="unit")
            np.testing.assert_array_equal(self.converted(tensor, layout=layout, range="unit"), same)
        with self.assertRaises(DreamloopError) as caught:
            self.converted(torch.full((2, 3, 3), float("nan")), range="unit")
        self.assertEqual(caught.exception.code, "bad_frame")
        with self.assertRaises(DreamloopError):
            self.converted(torch.zeros(2, 3, 3), range="full")


class Sessions(unittest.TestCase):
    def test_g3_the_same_seed_gives_the_same_frames_and_a_snapshot_continues_them(self):
        whole = run_steps(open_session(WALK), 6)
        self.assertEqual(whole, run_steps(open_session(WALK), 6))
        self.assertNotEqual(whole, run_steps(open_session(WALK, seed=8), 6))
        session = open_session(WALK)
        first = run_steps(session, 3)
        snapshot = session.snapshot()
        other = open_session(WALK, seed=99)
        other.restore(snapshot)
        self.assertEqual(other.status, {"stepIndex": 3, "isComplete": False})
        rest = []
        for _ in range(3):
            rest.append(bytes(other.step({"drive": {}}, {}, NEVER)[1]))
        self.assertEqual(first + rest, whole)

    def test_n8_a_repeated_number_gives_the_same_reply_and_runs_nothing(self):
        session = open_session(WALK)
        reply = session.answered(1, *session.step({"drive": {}}, {}, NEVER))
        self.assertIs(session.repeated(1), reply)
        self.assertIsNone(session.repeated(2))
        for wrong in (0, 3, 99):
            with self.assertRaises(DreamloopError):
                session.repeated(wrong)
        self.assertEqual(session.status["stepIndex"], 1)

    def test_f2_a_step_that_is_taken_back_has_not_happened(self):
        session = open_session(WALK)
        first = bytes(session.step({"drive": {}}, {"prompt": "abc"}, NEVER)[1])
        session.discard()
        self.assertEqual(session.status["stepIndex"], 0)
        self.assertEqual(bytes(session.step({"drive": {}}, {"prompt": "abc"}, NEVER)[1]), first)

    def test_a_function_is_a_world_too(self):
        text = """
        @world(video=Video(6, 4, fps=10), controls={"drive": "driver_command"}, inputs={"level": number(default=3)}, start=lambda ctx: 0)
        def lamp(ctx):
            ctx.frames[...] = ctx.initial.level + ctx.state
            return ctx.frames, ctx.state + 1
        """
        frames = run_steps(open_session(text, initial={"level": 5}), 3)
        self.assertEqual([frame[0] for frame in frames], [5, 6, 7])

    def test_a_video_may_depend_on_options_and_a_rollout_may_end(self):
        text = """
        class Sized(World):
            options = {"width": number(default=4, integer=True)}
            max_steps = 2
            def video(self, options):
                return Video(options.width, 4, fps=10)
            def step(self, ctx):
                return ctx.frames
        """
        session = open_session(text, options={"width": 10})
        self.assertEqual([len(frame) for frame in run_steps(session, 2)], [120, 120])
        self.assertTrue(session.status["isComplete"])
        with self.assertRaises(DreamloopError):
            run_steps(session, 1)

    def test_hostile_snapshots_are_refused_and_change_nothing(self):
        session = open_session(WALK)
        run_steps(session, 2)
        good = session.snapshot()
        line, arrays = good.split(b"\n", 1)
        header = json.loads(line)
        wrong = [b"", b"\n", b"{}\n", good[:40], good[:-8], b"\x80\x04pickle\n" + arrays, line.replace(b'"format":1', b'"format":2') + b"\n" + arrays]
        for change in ({"seed": "x"}, {"stepIndex": None}, {"isComplete": 3}, {"initial": {"other": 1}}, {"initial": 5}):
            wrong.append(json.dumps({**header, "content": {**header["content"], **change}}).encode() + b"\n" + arrays)
        for data in wrong:
            with self.subTest(data[:60]):
                with self.assertRaises(DreamloopError):
                    session.restore(data)
        self.assertEqual(session.snapshot(), good)


class Values(unittest.TestCase):
    def test_what_is_encoded_comes_back(self):
        value = {
            "a": [1, 2.5, None, True, "ü", float("inf")],
            "b": {"array": np.arange(6, dtype=np.int16).reshape(2, 3), "scalar": np.float32(0.5)},
            "c": (1, {2, 3}, b"raw", 2**70, {4: "four", "$odd": 1}),
        }
        header, payload = encode(value, "value")
        back = decode(json.loads(json.dumps(header)), payload)
        np.testing.assert_array_equal(back["b"].pop("array"), value["b"].pop("array"))
        self.assertEqual(back, {**value, "b": {"scalar": 0.5}})

    def test_n7_references_that_leave_the_payload_are_refused(self):
        good = {"type": "uint8", "shape": [4], "offset": 0, "bytes": 4}
        for change in ({"offset": 8}, {"offset": -4}, {"bytes": 99}, {"shape": [5]}, {"shape": "x"}, {"type": "object"}, {"bytes": 4.0}, {"shape": [-1, -4]}):
            with self.subTest(change):
                with self.assertRaises(DreamloopError):
                    decode({"$array": {**good, **change}}, b"12345678")
        deep = []
        for _ in range(100):
            deep = [deep]
        for value in ({"$unknown": 1}, {"$array": 3}, {"$map": 3}, {"$int": "x"}, deep):
            with self.assertRaises(DreamloopError):
                decode(value, b"")


class Protocol(unittest.TestCase):
    def test_n7_headers_that_are_not_as_documented_are_refused(self):
        for raw in (b"", b"{", b"[]", b"\xff\xfe", b'{"type":3}', b'{"type":"nothing"}', b'{"type":"step","id":1}', b'{"type":"ping","id":true}',
                    b'{"type":"ping","id":-1}', b'{"type":"load","id":1,"config":NaN}', b"[" * 100_000):
            with self.subTest(raw[:40]):
                with self.assertRaises(DreamloopError):
                    read_header(raw)

    def test_n7_bytes_that_are_no_message_are_refused(self):
        import socket

        for raw, code in ((b"GET / HTTP/1.1\r\n\r\n", "invalid_value"), (MAGIC + b"\xff" * 8, "limit_exceeded")):
            here, there = socket.socketpair()
            here.sendall(raw)
            with self.assertRaises(DreamloopError) as caught:
                Channel(there).receive()
            self.assertEqual(caught.exception.code, code)
            here.close()
            there.close()


if __name__ == "__main__":
    unittest.main()
