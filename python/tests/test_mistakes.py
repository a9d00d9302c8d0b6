"""Each kind of mistake that an author makes is told with file, line and what to do (guarantee N10)."""

import re
import unittest

from dreamloop import DreamloopError

from worlds import open_session, run_steps

VIDEO = "video = Video(8, 4, fps=10)"


def world(body, video=VIDEO):
    """A class with a body, indented below it."""
    lines = [video, *body.strip("\n").split("\n")]
    return "class Mine(World):\n" + "\n".join(f"    {line}" for line in lines) + "\n"


STEP = "def step(self, ctx):\n    return np.zeros((4, 8, 3), np.uint8)"
FRAME = "np.zeros((4, 8, 3), np.uint8)"

#: What is wrong, the world's text, the code of the error, what its message says, and how far the world gets.
MISTAKES = [
    ("a syntax error", "class Mine(World)\n    pass\n", "load_failed", r"mine_\w+\.py:3: SyntaxError"),
    ("a module that is not installed", "import not_there_at_all\n", "load_failed", r":3: ModuleNotFoundError.*-m pip install not_there_at_all"),
    ("an error while importing", "1 / 0\n", "load_failed", r":3: ZeroDivisionError"),
    ("an exit while importing", "exit(3)\n", "load_failed", r":3: SystemExit"),
    ("no world", "x = 1\n", "not_found", r"holds no world; write class MyWorld"),
    ("two worlds and no name", world(STEP) + world(STEP).replace("Mine", "Yours"), "invalid_value", r"holds 2 worlds; say which one: .*:Mine"),
    ("no step", world("pass"), "invalid_value", r":3: Mine: it has no step; write def step\(self, ctx\)"),
    ("no video", "class Mine(World):\n    def step(self, ctx):\n        pass\n", "invalid_value", r"Mine\.video: expected Video\(width, height"),
    ("a video that is a tuple", world(STEP, "video = (8, 4)"), "invalid_value", r":4: Mine\.video: expected Video\(.*found tuple of 2"),
    ("a video of a negative size", world(STEP, "video = Video(-8, 4, fps=10)"), "invalid_value", r"Video\.width: expected an integer from 1"),
    ("an unknown layout", world(STEP, 'video = Video(8, 4, fps=10, layout="whc")'), "invalid_value", r"Video\.layout: expected one of 'hwc'"),
    ("a misspelt attribute", world('contrls = {"drive": "driver_command"}\n' + STEP), "unknown_key", r":5: Mine\.contrls: unknown; did you mean 'controls'"),
    ("a misspelt modality", world('controls = {"drive": "driver_comand"}\n' + STEP), "invalid_value", r":5: Mine\.controls: .*did you mean 'driver_command'"),
    ("conditioning as a control", world('controls = {"words": "conditioning"}\n' + STEP), "invalid_value", r"optional_controls, as it is absent"),
    ("a step without self and ctx", world("def step(self):\n    pass"), "invalid_value", r":5: Mine\.step\(self\) cannot be called; write def step\(self, ctx\)"),
    ("an asynchronous step", world("async def step(self, ctx):\n    pass"), "invalid_value", r":5: Mine\.step is async; write a plain def"),
    ("a step that yields", world("def step(self, ctx):\n    yield 1"), "invalid_value", r":5: Mine\.step is a generator; return the frames"),
    ("an __init__ with arguments", world("def __init__(self, path):\n    pass\n" + STEP), "invalid_value", r"__init__ takes arguments.*load\(self, ctx\)"),
    ("an input with a trailing comma", world("prompt = text(),\n" + STEP), "invalid_value", r":5: Mine\.prompt: expected an input without a comma"),
    ("a default beyond its bounds", world("speed = number(min=0, max=1, default=3)\n" + STEP), "load_failed|invalid_value", r"number\(default=\.\.\.\): expected a finite number of at least 0 and at most 1"),
    ("an option that is no input", world('options = {"noise": 0.1}\n' + STEP), "invalid_value", r":5: Mine\.options: expected number\(\), text\(\)"),
    ("an alternative that is not optional", world('prompt = text()\nalternatives = [["prompt"]]\n' + STEP), "invalid_value", r"inputs that are optional=True"),
    ("actions that nothing sees", world('actions = {"jump": "Space"}\n' + STEP), "invalid_value", r'controls = \{"\.\.\.": "actions"\}'),
    ("an error while loading", world("def load(self, ctx):\n    open('/not/there')\n" + STEP), "load_failed", r":6 in load: FileNotFoundError"),
    ("a start without a return", world("def start(self, ctx):\n    {'x': 1}\n" + STEP), "step_failed", r":5: start\(\) returned None; return the state"),
    ("a step without a return", world("def step(self, ctx):\n    pass"), "step_failed", r":5: step\(\) returned None"),
    ("a step that returns a dict", world("def step(self, ctx):\n    return {'frames': 1}"), "step_failed", r":5: step\(\) returned dict of 1; return the frames"),
    ("frames without the state", world("def start(self, ctx):\n    return 1\n" + STEP), "step_failed", r":7: step\(\) returned frames without a state; return \(frames, state\)"),
    ("another shape", world("def step(self, ctx):\n    return np.zeros((9, 9, 3), np.uint8)"), "step_failed", r"ndarray of shape \(9, 9, 3\) and dtype uint8; expected shape \(4, 8, 3\)"),
    ("width and height the other way round", world("def step(self, ctx):\n    return np.zeros((8, 4, 3), np.uint8)"), "step_failed", r"are width and height the other way round"),
    ("channels first", world("def step(self, ctx):\n    return np.zeros((3, 4, 8), np.uint8)"), "step_failed", r"laid out as 'chw': say Video\(\.\.\., layout='chw'\)"),
    ("a grey picture", world("def step(self, ctx):\n    return np.zeros((4, 8), np.uint8)"), "step_failed", r"a grey picture needs its channel three times"),
    ("alpha", world("def step(self, ctx):\n    return np.zeros((4, 8, 4), np.uint8)"), "step_failed", r"has 4 channel\(s\).*leave alpha out"),
    ("one frame too many", world("def step(self, ctx):\n    return np.zeros((2, 4, 8, 3), np.uint8)"), "step_failed", r"this step has 1 frame\(s\), see Video\(frames_per_step"),
    ("floats in a world of bytes", world("def step(self, ctx):\n    return np.zeros((4, 8, 3))"), "step_failed", r'range=\'full\' means uint8.*say Video\(\.\.\., range="unit"\)'),
    ("bytes in a world of floats", world(STEP, 'video = Video(8, 4, fps=10, range="unit")'), "step_failed", r'say Video\(\.\.\., range="full"\)'),
    ("0 to 255 in a world of 0 to 1", world("def step(self, ctx):\n    return np.full((4, 8, 3), 200.0)", 'video = Video(8, 4, fps=10, range="unit")'), "step_failed", r"values from 200 to 200, and range='unit' means 0 to 1"),
    ("NaN", world("def step(self, ctx):\n    return np.full((4, 8, 3), np.nan)", 'video = Video(8, 4, fps=10, range="unit")'), "bad_frame", r":5: step\(\) returned a frame with NaN"),
    ("a list of objects", world("def step(self, ctx):\n    return object()"), "step_failed", r"returned an object of class object; expected an array or tensor"),
    ("an error in a step", world("def step(self, ctx):\n    return self.net(1)"), "step_failed", r":6 in step: AttributeError: .*net"),
    ("an error in a helper", "def helper():\n    raise RuntimeError('out of range')\n" + world("def step(self, ctx):\n    helper()"), "step_failed", r":4 in helper: RuntimeError: out of range"),
    ("a misspelt control", world('controls = {"drive": "driver_command"}\ndef step(self, ctx):\n    ctx.controls.drive.steering'), "step_failed", r":7 in step: AttributeError: controls\.drive has no 'steering'; did you mean 'steer'"),
    ("an initial input that is not declared", world("def step(self, ctx):\n    ctx.initial.promt"), "step_failed", r":6 in step: AttributeError: ctx\.initial has no 'promt'"),
    ("a state that is changed in place", world("def start(self, ctx):\n    return {'x': 1}\ndef step(self, ctx):\n    ctx.state['x'] += 1"), "step_failed", r":8 in step: TypeError: ctx\.state stays as it was.*in_place = True"),
    ("an array of the state that is changed in place", world("def start(self, ctx):\n    return {'x': np.zeros(3)}\ndef step(self, ctx):\n    ctx.state['x'] += 1"), "step_failed", r":8 in step: ValueError:.*read-only; ctx\.state stays as it was"),
    ("an exit in a step", world("def step(self, ctx):\n    exit()"), "step_failed", r":6 in step: step\(\) ended the program with SystemExit"),
    ("metadata that is no JSON", world(f"def step(self, ctx):\n    return Step({FRAME}, metadata={{'x': np.zeros(2)}})"), "step_failed", r"metadata: expected plain JSON"),
    ("a finalize without a return", world(f"def start(self, ctx):\n    return 1\ndef step(self, ctx):\n    return {FRAME}, 2\ndef finalize(self, ctx, state):\n    pass"), "step_failed", r":9: finalize\(\) returned None; return the state to keep"),
    ("a state that cannot be stored", world(f"def start(self, ctx):\n    return {{'net': object()}}\ndef step(self, ctx):\n    return {FRAME}, ctx.state"), "invalid_state", r"the state\['state'\]\['net'\]: expected plain values and arrays.*snapshot and restore"),
    ("facts that are no dict", world("def facts(self):\n    return 3\n" + STEP), "load_failed", r":5: facts\(\) returned 3; expected a dict"),
    ("a random stream with a bad name", world("def step(self, ctx):\n    ctx.random('é')"), "invalid_value", r":6 in step: a random stream's name is 1 to 128"),
]


class Mistakes(unittest.TestCase):
    def test_n10_each_mistake_is_told_with_file_line_and_what_to_do(self):
        self.assertGreaterEqual(len(MISTAKES), 30)
        for what, text, code, message in MISTAKES:
            with self.subTest(what):
                with self.assertRaises(DreamloopError) as caught:
                    session = open_session(text)
                    run_steps(session)
                    session.snapshot()
                self.assertRegex(caught.exception.code, f"^({code})$", str(caught.exception))
                self.assertRegex(str(caught.exception), re.compile(message, re.S))

    def test_n10_what_is_given_from_outside_is_checked_too(self):
        text = world('speed = number(min=0, max=1, default=0.5, live=True)\nseed_text = text(optional=True)\noptions = {"gain": number(default=1, min=0)}\n' + STEP)
        for given, message in (
            ({"initial": {"sped": 1}}, r"ModelInputs\.initial\.sped: unknown \(did you mean 'speed'\?\)"),
            ({"initial": {"speed": 9}}, r"ModelInputs\.initial\.speed: expected a finite number of at least 0 and at most 1, found 9"),
            ({"options": {"gian": 1}}, r"runtimeOptions\.gian: unknown \(did you mean 'gain'"),
        ):
            with self.assertRaises(DreamloopError) as caught:
                open_session(text, **given)
            self.assertRegex(str(caught.exception), message)
        session = open_session(text)
        with self.assertRaises(DreamloopError) as caught:
            run_steps(session, update={"seed_text": "x"})
        self.assertEqual(caught.exception.code, "update_refused")


if __name__ == "__main__":
    unittest.main()
