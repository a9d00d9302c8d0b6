import {
  deviceConverter,
  keyboardToActions,
  keyboardToDriverCommand,
  mouseToLookDelta,
  type Conversion,
  type DeviceConverter,
  type UserInputEventInput,
  type UserInputs,
} from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { registerCases } from "./conformance-case.ts";
import { converterConformance, type ConverterConformanceOptions } from "./converter-conformance.ts";
import { rejectionCases } from "./rejection-cases.ts";

interface PedalState {
  readonly down: boolean;
}

type Convert = (inputs: UserInputs, state: PedalState) => Conversion<PedalState>;

/** A pedal and a slider: a small right converter of which each broken one changes one thing. */
const rightConvert: Convert = (inputs, state) => {
  let { down } = state;
  let pressed = false;
  let slide = 0;
  for (const { eventType, payload } of inputs.events) {
    if (eventType === "pedal") down = payload.down === true;
    if (eventType === "pedal" && down) pressed = true;
    if (eventType === "focus" && payload.focused === false) down = false;
    if (eventType === "slide") slide += payload.by as number;
  }
  return { value: { down: down || pressed, slide }, state: { down } };
};

function pedal(convert: Convert = rightConvert): DeviceConverter {
  return deviceConverter<PedalState>({
    name: "pedal",
    consumes: ["pedal", "slide"],
    produces: { name: "pedal", payloadFields: ["down", "slide"] },
    createState: () => ({ down: false }),
    convert: (inputs, _window, state) => convert(inputs, state),
  });
}

const events: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.05, eventType: "pedal", payload: { down: true } },
  { timestampSeconds: 0.11, eventType: "slide", payload: { by: 0.25 } },
  { timestampSeconds: 0.19, eventType: "slide", payload: { by: 0.25 } },
  { timestampSeconds: 0.32, eventType: "pedal", payload: { down: false } },
  { timestampSeconds: 0.33, eventType: "pedal", payload: { down: true } },
  { timestampSeconds: 0.34, eventType: "slide", payload: { by: -1.125 } },
];

function options(converter: DeviceConverter): ConverterConformanceOptions {
  return {
    converter,
    events,
    press: { eventType: "pedal", payload: { down: true } },
    release: { eventType: "pedal", payload: { down: false } },
    isActive: (value) => value.down === true,
    sums: (value) => [value.slide as number],
  };
}

const suite = (convert: Convert) => converterConformance(options(pedal(convert)));

describe("a right converter passes", () => {
  registerCases(test, converterConformance(options(pedal())));
});

const key = (eventType: string, code: string) => ({ eventType, payload: { code, key: code } });
const typed: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.03, ...key("key_down", "KeyW") },
  { timestampSeconds: 0.17, ...key("key_down", "KeyA") },
  { timestampSeconds: 0.24, ...key("key_up", "KeyA") },
  { timestampSeconds: 0.41, eventType: "focus", payload: { focused: false } },
  { timestampSeconds: 0.52, ...key("key_down", "KeyW") },
  { timestampSeconds: 0.56, ...key("key_up", "KeyW") },
];

describe("the keyboard's driver command passes", () => {
  const held = { press: key("key_down", "KeyW"), release: key("key_up", "KeyW") };
  const isActive: ConverterConformanceOptions["isActive"] = ({ throttle }) => (throttle as number) > 0;
  registerCases(test, converterConformance({ converter: keyboardToDriverCommand(), events: typed, ...held, isActive }));
});

describe("the keyboard's actions pass", () => {
  const held = { press: key("key_down", "Space"), release: key("key_up", "Space") };
  const isActive: ConverterConformanceOptions["isActive"] = (value) => (value.held as string[]).includes("jump");
  registerCases(test, converterConformance({ converter: keyboardToActions(), events: typed, ...held, isActive }));
});

describe("the mouse's look delta passes", () => {
  const moves = [0.01, 0.013, 0.2, 0.2, 0.31, 0.44].map((timestampSeconds, index) => ({
    ...{ timestampSeconds, eventType: "mouse_move" },
    payload: { deltaX: index * 0.375, deltaY: -1.1 },
  }));
  const sums: ConverterConformanceOptions["sums"] = (value) => [value.deltaX as number, value.deltaY as number];
  registerCases(test, converterConformance({ converter: mouseToLookDelta(), events: moves, sums }));
});

describe("the suite of converters", () => {
  let calls = 0;
  let hidden = false;
  const broken = rejectionCases(converterConformance(options(pedal())), [
    {
      fault: "a converter that counts its calls",
      rejectedBy: "the same windows give the same values and states",
      message: /function of windows and state/,
      cases: suite((inputs, state) => {
        calls += 1;
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, calls }, state: next };
      }),
    },
    {
      fault: "a converter that keeps the pedal to itself",
      rejectedBy: "sessions that take turns give what each gives alone",
      message: /all state is in the state value/,
      cases: suite((inputs, state) => {
        for (const { eventType } of inputs.events) if (eventType === "pedal") hidden = !hidden;
        return { ...rightConvert(inputs, state), value: { down: hidden, slide: 0 } };
      }),
    },
    {
      fault: "a converter that changes the state in place",
      rejectedBy:
        "F2: a window that is converted again from the same state gives the same, and the state given is not changed",
      message: /never changes the state that it was given/,
      cases: suite((inputs, state) => {
        const conversion = rightConvert(inputs, state);
        (state as { down: boolean }).down = conversion.state.down;
        return { ...conversion, state };
      }),
    },
    {
      fault: "a converter whose state holds a function",
      rejectedBy: "its state is plain JSON and continues from its copy",
      message: /plain JSON, as snapshots and traces need it/,
      cases: suite((inputs, state) => {
        const { value, state: next } = rightConvert(inputs, state);
        return { value, state: { ...next, release: () => undefined } };
      }),
    },
    {
      fault: "a converter that gives no number",
      rejectedBy: "its values have the declared fields and finite numbers",
      message: /finite; found: slide: NaN/,
      cases: suite((inputs, state) => ({ ...rightConvert(inputs, state), value: { down: false, slide: Number.NaN } })),
    },
    {
      fault: "a converter that leaves out a declared field",
      rejectedBy: "its values have the declared fields and finite numbers",
      message: /every declared field; found: .*lacks "slide"/,
      cases: suite((inputs, state) => ({ ...rightConvert(inputs, state), value: { down: false } })),
    },
    {
      fault: "a converter that keeps the newest motion only",
      rejectedBy: "A4: motion sums up to the same however it is cut into windows",
      message: /motion adds up to \[-0.875\]/,
      cases: suite((inputs, state) => {
        const last = inputs.events.findLast(({ eventType }) => eventType === "slide");
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, slide: last?.payload.by ?? 0 }, state: next };
      }),
    },
    {
      fault: "a converter that is active at first",
      rejectedBy: "nothing is done before the first event",
      message: /without events nothing is active/,
      cases: suite((inputs, state) => {
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, down: inputs.events.length === 0 || value?.down === true }, state: next };
      }),
    },
    {
      fault: "a converter that looks at the end of a window only",
      rejectedBy: "A3: a tap between two steps is seen by exactly one step",
      message: /-x---.*found: -----/,
      cases: suite((inputs, state) => {
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, down: next.down }, state: next };
      }),
    },
    {
      fault: "a converter that is edge-triggered",
      rejectedBy: "what is held stays active in windows without events, until it is released",
      message: /-xx--.*found: -x---/,
      cases: suite((inputs, state) => {
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, down: inputs.events.length > 0 && value?.down === true }, state: next };
      }),
    },
    {
      fault: "a converter that answers a window late",
      rejectedBy: "events belong to the window that begins at their time",
      message: /--x--.*found: ---x-/,
      cases: suite((inputs, state) => {
        const { value, state: next } = rightConvert(inputs, state);
        return { value: { ...value, down: state.down }, state: next };
      }),
    },
    {
      fault: "a converter that holds on when focus is lost",
      rejectedBy: "A2: loss of focus releases everything that is held",
      message: /-x---.*found: -xxxx/,
      cases: suite((inputs, state) =>
        rightConvert({ ...inputs, events: inputs.events.filter(({ eventType }) => eventType !== "focus") }, state),
      ),
    },
  ]);
  registerCases(test, broken);

  test("leaves out what it cannot check", () => {
    const names = converterConformance({ converter: pedal(), events }).map(({ name }) => name);
    expect(names.some((name) => /A2|A3|A4/.test(name))).toBe(false);
  });
});
