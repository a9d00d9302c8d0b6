"""Models written for FlashDreams run as they are; its own package is stood in for by modules of the same names and shapes."""

import sys
import types
import unittest
from dataclasses import dataclass, field
from typing import Any, Dict, Tuple

import numpy as np

from dreamloop import DreamloopError, Video, text
from dreamloop.flashdreams import PipelineWorld, adapter_world, world_of
from dreamloop.worker.loaded import LoadedWorld
from dreamloop.worker.session import Session
from dreamloop.world import Declaration

SIZE = {"width": 6, "height": 4, "frames_per_step": 2, "first_step_frames": 1}


@dataclass(frozen=True)
class Modality:
    name: str


@dataclass(frozen=True)
class Field:
    name: str
    required: bool = True
    description: str = ""
    update_policy: Any = None


@dataclass(frozen=True)
class CanonicalSchema:
    modalities: Tuple[Modality, ...] = ()


@dataclass(frozen=True)
class InputSchema:
    global_conditioning_fields: Tuple[Field, ...] = ()
    step_fields: Tuple[Field, ...] = ()


@dataclass(frozen=True)
class CanonicalInputs:
    values: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class InferenceInput:
    global_conditioning: Dict[str, Any] = field(default_factory=dict)
    step: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelInputs:
    initial: Dict[str, Any] = field(default_factory=dict)
    step: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class UserInputs:
    events: Tuple[Any, ...] = ()


@dataclass(frozen=True)
class InferenceConfig:
    model_id: str
    device: Any = None
    precision: str = "auto"
    compile: Any = None
    runtime_options: Dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StepRequest:
    step_index: int


@dataclass(frozen=True)
class StepResult:
    step_index: int
    output: Any
    metadata: Dict[str, Any] = field(default_factory=dict)
    metrics: Dict[str, Any] = field(default_factory=dict)


class Mapping:
    def __init__(self, log):
        self.log = log

    def validate(self, *, canonical_schema=None, inference_input_schema=None):
        self.log.append("validate")

    def map_global_conditioning_inputs(self, *, canonical_inputs, inference_input):
        return inference_input

    def map_step_inputs(self, *, canonical_inputs, inference_input, request):
        throttle = canonical_inputs.values["driver_command"]["throttle"]
        step = {"speed": throttle, "index": request.step_index}
        return InferenceInput(global_conditioning=inference_input.global_conditioning, step=step)


class NativeSession:
    def __init__(self, log, inputs, steps):
        self.log, self.steps = log, steps
        self.reset(inputs)

    def next_step_request(self):
        return StepRequest(self.index) if self.index < self.steps else None

    def step(self, inputs):
        if inputs.step.get("speed") == 0.5:
            raise RuntimeError("CUDA error")
        self.log.append(("step", self.index, dict(inputs.global_conditioning)))
        frames = 1 if self.index == 0 else 2
        output = np.full((1, 1, frames, 3, 4, 6), inputs.step.get("speed", 0.0), np.float32)
        result = StepResult(self.index, output, {"mode": "fast", "cache": object()}, {"generate_ms": 12.5})
        self.index += 1
        return result

    def reset(self, inputs=None):
        self.log.append(("reset", dict(inputs.global_conditioning)))
        self.index = 0

    def close(self):
        self.log.append("session closed")


class Runtime:
    def __init__(self, log, config):
        self.log, self.config = log, config

    def start_session(self, inputs):
        return NativeSession(self.log, inputs, 4)

    def close(self):
        self.log.append("runtime closed")


class Adapter:
    model_id = "stand-in"
    inference_input_schema = InputSchema(
        (Field("prompt", update_policy="step_boundary"), Field("seed_frame", required=False)),
        (Field("speed"),),
    )
    canonical_input_schema = CanonicalSchema((Modality("driver_command"),))

    def __init__(self):
        self.log = []

    def default_input_mapping(self):
        return Mapping(self.log)

    def validate_config(self, config):
        self.log.append(("config", config.device, config.compile, config.runtime_options))

    def create_runtime(self, config):
        return Runtime(self.log, config)


def stand_in(early=False):
    """Puts modules with the reference's names in place."""
    inputs = types.ModuleType("flashdreams.runtime.inputs")
    if early:
        inputs.ModelInputs, inputs.UserInputs = ModelInputs, UserInputs
    else:
        inputs.InferenceInput, inputs.CanonicalInputs = InferenceInput, CanonicalInputs
    config = types.ModuleType("flashdreams.runtime.config")
    config.InferenceConfig = InferenceConfig
    names = {"flashdreams": types.ModuleType("flashdreams"), "flashdreams.runtime": types.ModuleType("flashdreams.runtime")}
    sys.modules.update({**names, inputs.__name__: inputs, config.__name__: config})


def opened(cls, options=None, model=None, initial=None):
    """A loaded world of a class and a session of it."""
    declaration = Declaration(cls, "stand-in")
    world = LoadedWorld(cls, declaration, {"device": "cpu", "runtimeOptions": options or {}, "model": model or {}}, lambda _line: None)
    world.load(lambda _stage, _fraction: None, lambda: False)
    return world, Session(world, 7, initial or {}, lambda: False)


def drive(throttle):
    return {"driver_command": {"throttle": throttle, "brake": 0.0, "steer": 0.0, "reverse": False, "stop": False}}


def stepped(session, number, controls, update=None):
    reply, payload = session.step(controls, update or {}, lambda: False)
    session.answered(number, reply, payload)
    return reply, np.frombuffer(payload, np.uint8)


class AdapterTest(unittest.TestCase):
    def setUp(self):
        stand_in()
        self.adapter = Adapter()

    def tearDown(self):
        for name in [name for name in sys.modules if name.split(".")[0] == "flashdreams"]:
            del sys.modules[name]

    def open(self, **options):
        return opened(world_of(self.adapter, layout="bvtchw"), {**SIZE, **options}, {"compile": True}, {"prompt": "rain"})

    def test_steps_with_its_own_mapping_and_configuration(self):
        """N11: an adapter of FlashDreams runs unchanged, from its configuration to its last frame."""
        world, session = self.open(runtime_options={"blocks": 3})
        self.assertEqual(self.adapter.log[:3], [("config", "cpu", True, {"blocks": 3}), "validate", ("reset", {"prompt": "rain"})])
        reply, pixels = stepped(session, 1, drive(0.0))
        self.assertEqual((reply["frameCount"], pixels.size, set(pixels.tolist())), (1, 72, {128}))
        self.assertEqual(reply["metadata"], {"mode": "fast"})
        self.assertEqual(reply["metrics"][0]["value"], 0.0125)
        reply, pixels = stepped(session, 2, drive(1.0), {"prompt": "snow"})
        self.assertEqual((reply["frameCount"], pixels.size, set(pixels.tolist())), (2, 144, {255}))
        self.assertEqual(self.adapter.log[-1], ("step", 1, {"prompt": "snow"}))
        for number in (3, 4):
            stepped(session, number, drive(0.0))
        self.assertTrue(session.status["isComplete"])
        world.close()
        self.assertEqual(self.adapter.log[-2:], ["session closed", "runtime closed"])

    def test_a_reset_goes_to_the_one_session_there_is(self):
        _world, session = self.open()
        stepped(session, 1, drive(0.0))
        session.reset(8, None, lambda: False)
        self.assertEqual(self.adapter.log[-1], ("reset", {"prompt": "rain"}))
        self.assertNotIn("session closed", self.adapter.log)
        stepped(session, 2, drive(0.0))
        self.assertEqual(self.adapter.log[-1][:2], ("step", 0))

    def test_a_failed_step_ends_the_rollout_until_it_is_reset(self):
        _world, session = self.open()
        stepped(session, 1, drive(0.0))
        with self.assertRaisesRegex(DreamloopError, "CUDA error"):
            session.step(drive(0.5), {}, lambda: False)
        with self.assertRaisesRegex(DreamloopError, r"step 1 of the session failed \(RuntimeError: CUDA error\).*reset the session"):
            session.step(drive(0.0), {}, lambda: False)
        session.reset(None, None, lambda: False)
        stepped(session, 2, drive(0.0))

    def test_has_no_snapshots_and_says_so(self):
        _world, session = self.open()
        with self.assertRaisesRegex(DreamloopError, "no snapshots"):
            session.snapshot()

    def test_refuses_what_is_no_adapter_and_what_nobody_feeds(self):
        with self.assertRaisesRegex(DreamloopError, "expected a FlashDreams ModelAdapter, found .* without model_id"):
            world_of(object())
        self.adapter.canonical_input_schema = CanonicalSchema((Modality("mind_reading"),))
        with self.assertRaisesRegex(DreamloopError, "no device feeds the modality 'mind_reading'; known: driver_command"):
            world_of(self.adapter)

    def test_names_axes_that_do_not_fit(self):
        _world, session = opened(world_of(self.adapter, layout="tchw"), SIZE, {}, {"prompt": "rain"})
        with self.assertRaisesRegex(DreamloopError, "expected an array or tensor with the axes tchw"):
            session.step(drive(0.0), {}, lambda: False)

    def test_is_found_by_the_place_of_its_class(self):
        module = types.ModuleType("flashdreams_models")
        module.Adapter = Adapter
        sys.modules["flashdreams_models"] = module
        self.assertEqual(adapter_world("flashdreams_models:Adapter").id, "stand-in")
        with self.assertRaisesRegex(DreamloopError, "has no 'Adaptor'"):
            adapter_world("flashdreams_models:Adaptor")
        with self.assertRaisesRegex(DreamloopError, "no module 'nowhere'"):
            adapter_world("nowhere:Adapter")

    def test_says_what_is_missing_without_flashdreams(self):
        self.tearDown()
        with self.assertRaisesRegex(DreamloopError, "no module 'flashdreams'; install FlashDreams"):
            world_of(self.adapter)


class EarlyAdapterTest(unittest.TestCase):
    def test_the_names_of_the_first_version_are_known(self):
        """N11: the envelope of pull request 403 runs as well: fixed model inputs, an identity mapping."""
        stand_in(early=True)

        class Identity:
            def validate(self, *, user_schema=None, model_schema=None):
                pass

            def map_initial_inputs(self, *, user_inputs, model_inputs):
                return model_inputs

            def map_step_inputs(self, *, user_inputs, model_inputs, request):
                return model_inputs

        class Early(Runtime):
            def start_session(self, inputs):
                native = NativeSession.__new__(NativeSession)
                native.log, native.steps, native.index = self.log, 2, 0

                def step(given):
                    native.index += 1
                    return StepResult(native.index - 1, np.zeros((1, 3, 4, 6), np.uint8))

                native.step = step
                self.log.append(("start", dict(inputs.initial)))
                return native

        adapter = Adapter()
        adapter.model_input_schema = types.SimpleNamespace(initial_fields=(Field("prompt"),), step_fields=())
        adapter.inference_input_schema = adapter.canonical_input_schema = None
        adapter.default_input_mapping = Identity
        adapter.create_runtime = lambda config: Early(adapter.log, config)
        _world, session = opened(world_of(adapter), {"width": 6, "height": 4, "range": "full"}, {}, {"prompt": "rain"})
        self.assertEqual(adapter.log[-1], ("start", {"prompt": "rain"}))
        self.assertEqual(stepped(session, 1, {})[0]["frameCount"], 1)


class FakePipeline:
    def __init__(self):
        self.log = []

    def initialize_cache(self, *, text):
        return {"text": text}

    def get_num_output_frames(self, index):
        return 1 if index == 0 else 2

    def generate(self, *, autoregressive_index, cache, input):
        self.log.append(("generate", autoregressive_index, tuple(cache["text"]), input))
        return np.zeros((1, 1, self.get_num_output_frames(autoregressive_index), 3, 4, 6), np.float32)

    def finalize(self, autoregressive_index, cache):
        self.log.append(("finalize", autoregressive_index))


class PipelineTest(unittest.TestCase):
    def setUp(self):
        native = FakePipeline()
        self.native = native

        class Town(PipelineWorld):
            video = Video(6, 4, fps=30, layout="chw", range="signed", frames_per_step=2, first_step_frames=1, deterministic=False)
            controls = {"drive": "driver_command"}
            prompt = text(default="sun", live=True)
            output_axes = "bvtchw"

            def pipeline(self, ctx):
                return native

            def conditioning(self, ctx):
                return {"text": [ctx.initial.prompt]}

            def chunk_input(self, ctx):
                return ctx.controls.drive.throttle

            def refresh(self, ctx, cache):
                cache["text"] = [ctx.initial.prompt]

        self.town = Town

    def test_generates_hands_over_and_finalises_with_its_chunk_index(self):
        """N11: a native pipeline: the first chunk is smaller, finalize follows the frames, a prompt is refreshed in the cache."""
        _world, session = opened(self.town)
        controls = {"drive": drive(0.5)["driver_command"]}
        for number, update in ((1, {}), (3, {"prompt": "rain"})):
            stepped(session, number, controls, update)
            session.finalize(lambda: False)
            session.answered(number + 1, session.status)
        expected = [("generate", 0, ("sun",), 0.5), ("finalize", 0), ("generate", 1, ("rain",), 0.5), ("finalize", 1)]
        self.assertEqual(self.native.log, expected)

    def test_a_chunk_of_another_size_than_declared_is_refused(self):
        self.native.get_num_output_frames = lambda index: 3
        _world, session = opened(self.town)
        with self.assertRaisesRegex(DreamloopError, "the pipeline makes 3 frames in step 0, the video declares 1; set frames_per_step"):
            session.step({"drive": drive(0.0)["driver_command"]}, {}, lambda: False)


if __name__ == "__main__":
    unittest.main()
