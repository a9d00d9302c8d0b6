import { describe, expect, it } from "vitest";
import { userInputSchema } from "../inputs/user-input-schema.ts";
import { conditioningMapping } from "../mapping/conditioning-mapping.ts";
import { inputMapping } from "../mapping/input-mapping.ts";
import { mappingSet } from "../mapping/mapping-set.ts";
import { deviceConverter } from "../canonical/device-converter.ts";
import { GAMEPAD_ACTION_BINDINGS } from "../canonical/converters/gamepad.ts";
import { DEFAULT_ACTION_BINDINGS } from "../canonical/converters/named-actions.ts";
import { ACTIONS, DRIVER_COMMAND, LOOK_DELTA, MODALITIES } from "../canonical/modalities.ts";
import { actionsNamed } from "../canonical/modalities.ts";
import { standardConverters } from "../canonical/standard-converters.ts";
import { defaultCanonicalizer } from "./default-canonicalizer.ts";

const EVERYTHING = userInputSchema({
  eventTypes: [
    "key_down",
    "key_up",
    "mouse_move",
    "mouse_button",
    "mouse_wheel",
    "gamepad_state",
    "wheel_state",
    "axis_set",
    "action_set",
    "prompt_set",
    "image_set",
    "text_event",
    "focus",
  ],
});

describe("the actions that a legend explains", () => {
  const labels = (...mappings: Parameters<typeof inputMapping>[0][]): readonly string[] => {
    const set = mappings.length === 1 ? mappings.map(inputMapping) : [mappingSet(mappings.map(inputMapping))];
    const converters = defaultCanonicalizer(undefined, set).convertersFor(EVERYTHING);
    return converters.flatMap(({ controls }) => controls.map(({ device, label }) => `${device}: ${label}`));
  };

  it("are those that mappings name, on each device", () => {
    const one = { name: "one", consumes: [actionsNamed(["jump", "left"])] };
    const other = { name: "other", consumesOptional: [actionsNamed(["attack", "jump"])] };
    expect(labels(one)).toEqual(["gamepad: Left", "gamepad: Jump", "keyboard: Left", "keyboard: Jump"]);
    expect(labels(one, other).filter((label) => label.startsWith("keyboard"))).toEqual([
      "keyboard: Left",
      "keyboard: Jump",
      "keyboard: Attack",
    ]);
  });

  it("are all where one mapping does not say which it looks at", () => {
    const count = Object.keys(DEFAULT_ACTION_BINDINGS).length + Object.keys(GAMEPAD_ACTION_BINDINGS).length;
    expect(labels({ name: "any", consumes: [ACTIONS] })).toHaveLength(count);
    expect(
      labels({ name: "any", consumes: [ACTIONS] }, { name: "one", consumes: [actionsNamed(["jump"])] }),
    ).toHaveLength(count);
  });

  it("change nothing of what is converted", () => {
    const canonicalizer = defaultCanonicalizer(undefined, [
      inputMapping({ name: "one", consumes: [actionsNamed(["jump"])] }),
    ]);
    const events = [{ timestampSeconds: 0, eventType: "key_down", payload: { code: "KeyC" } }];
    const window = { startSeconds: 0, endSeconds: 1 };
    const { canonical } = canonicalizer.canonicalize({ events }, window, EVERYTHING, canonicalizer.createState());
    expect(canonical.values.actions).toMatchObject({ held: ["crouch"] });
  });
});

describe("standardConverters", () => {
  it("makes every shipped modality, by names that are unique", () => {
    const converters = standardConverters();
    expect(new Set(converters.map(({ name }) => name)).size).toBe(converters.length);
    expect(new Set(converters.map(({ produces }) => produces.name))).toEqual(new Set(Object.keys(MODALITIES)));
  });

  it("lets axes win over wheel, wheel over pad, pad over keyboard, and the mouse over a stick", () => {
    const order = (modality: string): string[] =>
      defaultCanonicalizer()
        .convertersFor(EVERYTHING)
        .filter(({ produces }) => produces.name === modality)
        .map(({ name }) => name.replace(`_${modality}`, ""));
    expect(order("driver_command")).toEqual(["axes", "steering_wheel", "gamepad", "keyboard"]);
    expect(order("camera_motion")).toEqual(["axes", "gamepad", "keyboard"]);
    expect(order("look_delta")).toEqual(["mouse", "gamepad"]);
    expect(order("actions")).toEqual(["action_set", "gamepad", "keyboard"]);
  });

  it("T9: lets a pad steer beside a key that accelerates, and the keyboard have all again when the pad is idle", () => {
    const canonicalizer = defaultCanonicalizer();
    let state = canonicalizer.createState();
    const steps = [
      { eventType: "key_down", payload: { code: "KeyW" } },
      { eventType: "gamepad_state", payload: { connected: true, axes: [0.5, 0, 0, 0] } },
      { eventType: "gamepad_state", payload: { connected: true, axes: [0.05, 0, 0, 0] } },
    ].map((event, startSeconds) => {
      const window = { startSeconds, endSeconds: startSeconds + 1 };
      const events = [{ timestampSeconds: startSeconds, ...event }];
      const result = canonicalizer.canonicalize({ events }, window, EVERYTHING, state);
      state = result.state;
      const { canonicalSources } = result.canonical.metadata as { canonicalSources: Record<string, string> };
      return [canonicalSources.driver_command, result.canonical.values.driver_command?.throttle];
    });
    expect(steps).toEqual([
      ["keyboard_driver_command", 1],
      ["gamepad_driver_command+keyboard_driver_command", 1],
      ["keyboard_driver_command", 1],
    ]);
  });

  it("gives a neutral value to a pad-only source whose pad is idle or gone", () => {
    const canonicalizer = defaultCanonicalizer();
    const source = { eventTypes: ["gamepad_state"] };
    const window = { startSeconds: 0, endSeconds: 1 };
    const { canonical } = canonicalizer.canonicalize({}, window, source, canonicalizer.createState());
    expect(canonical.values.driver_command).toEqual({ throttle: 0, brake: 0, steer: 0, reverse: false, stop: false });
    expect(canonical.values.conditioning).toBeUndefined();
  });
});

describe("defaultCanonicalizer", () => {
  const mapping = mappingSet([
    inputMapping({ name: "drive", consumes: [DRIVER_COMMAND] }),
    inputMapping({ name: "look", consumesOptional: [LOOK_DELTA] }),
    conditioningMapping({ fields: { prompt: "prompt" } }),
  ]);
  const modalitiesOf = (canonicalizer: ReturnType<typeof defaultCanonicalizer>): string[] =>
    canonicalizer.canonicalSchema(EVERYTHING).modalities.map(({ name }) => name);

  it("has the standard converters of the modalities that the adapter's mapping needs or can use", () => {
    const canonicalizer = defaultCanonicalizer({ defaultInputMapping: () => mapping });
    expect(modalitiesOf(canonicalizer).sort()).toEqual(["conditioning", "driver_command", "look_delta"]);
  });

  it("goes by the mappings of the run where they differ", () => {
    const other = inputMapping({ name: "fly", consumes: [{ name: "camera_motion" }] });
    expect(modalitiesOf(defaultCanonicalizer({ defaultInputMapping: () => mapping }, [other]))).toEqual([
      "camera_motion",
    ]);
    expect(modalitiesOf(defaultCanonicalizer(undefined, [other]))).toEqual(["camera_motion"]);
  });

  it("has the adapter's own converters, and only them, where it has any", () => {
    const own = deviceConverter({
      name: "own",
      consumes: [],
      produces: { name: "own" },
      createState: () => null,
      convert: () => ({ value: {}, state: null }),
    });
    expect(modalitiesOf(defaultCanonicalizer({ defaultInputMapping: () => mapping, converters: [own] }))).toEqual([
      "own",
    ]);
    expect(modalitiesOf(defaultCanonicalizer({ defaultInputMapping: () => mapping, converters: [] }))).toEqual([]);
  });
});
