import { describe, expect, it } from "vitest";
import { userInputSchema } from "../inputs/user-input-schema.ts";
import { userInputs } from "../inputs/user-inputs.ts";
import { isMade } from "../foundation/validate/record.ts";
import { canonicalInputs } from "./canonical-inputs.ts";
import { deviceConverter, type DeviceConverter } from "./device-converter.ts";
import { InputCanonicalizer, NEUTRAL_SOURCE } from "./input-canonicalizer.ts";
import { modality } from "./modality.ts";

const PULL = modality<{ pull: number }>({ name: "pull", neutral: { pull: 0 } });
const SOURCE = userInputSchema({ eventTypes: ["tug", "rope"] });
const WINDOW = { startSeconds: 0, endSeconds: 1 };

/** Counts the events of its type; gives the count as its value when `speaks` says so. */
function counter(
  name: string,
  options: { priority?: number; eventType?: string; speaks?: (count: number) => boolean } = {},
): DeviceConverter<number> {
  const { priority = 0, eventType = "tug", speaks = () => true } = options;
  return deviceConverter<number>({
    name,
    priority,
    consumes: [eventType],
    produces: PULL,
    createState: () => 0,
    convert(inputs, _window, state) {
      const count = state + inputs.events.filter((event) => event.eventType === eventType).length;
      return { value: speaks(count) ? { pull: count } : undefined, state: count };
    },
  });
}

function tug(timestampSeconds: number): { timestampSeconds: number; eventType: string } {
  return { timestampSeconds, eventType: "tug" };
}

describe("InputCanonicalizer.register", () => {
  it("refuses a name that is taken", () => {
    const canonicalizer = new InputCanonicalizer({ converters: [counter("rope")] });
    expect(() => canonicalizer.register(counter("rope"))).toThrow(
      /DeviceConverter\.name: .*not registered yet.*"rope"/,
    );
  });

  it.each([undefined, null, 3, {}, { name: "x", convert: () => ({}) }, () => undefined])(
    "refuses %s, which is not a converter",
    (value) => {
      const canonicalizer = new InputCanonicalizer();
      expect(() => canonicalizer.register(value as unknown as DeviceConverter)).toThrow(
        /deviceConverter\(\{\.\.\.\}\)/,
      );
    },
  );

  it("refuses the reserved name of the neutral value", () => {
    expect(() => new InputCanonicalizer().register(counter(NEUTRAL_SOURCE))).toThrow(/reserved/);
  });

  it("refuses unknown options and a list that is none", () => {
    expect(() => new InputCanonicalizer({ convertors: [] } as never)).toThrow(/converters/);
    expect(() => new InputCanonicalizer({ converters: counter("a") } as never)).toThrow(/a list of converters/);
  });
});

describe("InputCanonicalizer queries", () => {
  const low = counter("low", { priority: -1 });
  const first = counter("first");
  const second = counter("second");
  const high = counter("high", { priority: 2.5 });
  const deaf = counter("deaf", { priority: 9, eventType: "whistle" });
  const canonicalizer = new InputCanonicalizer({ converters: [low, first, deaf, second, high] });

  it("sorts by priority descending and keeps the order of registration among equals", () => {
    expect(canonicalizer.convertersFor(SOURCE).map(({ name }) => name)).toEqual(["high", "first", "second", "low"]);
  });

  it("lists the converters that the source cannot feed", () => {
    expect(canonicalizer.unavailableConverters(SOURCE)).toEqual([deaf]);
    expect(canonicalizer.unavailableConverters({})).toHaveLength(5);
  });

  it("sees a converter that is registered after a query", () => {
    const growing = new InputCanonicalizer();
    expect(growing.canonicalSchema(SOURCE).modalities).toEqual([]);
    growing.register(first);
    expect(growing.canonicalSchema(SOURCE).modalities.map(({ name }) => name)).toEqual(["pull"]);
    expect(growing.createState()).toEqual({ first: 0 });
  });

  it("promises only the fields that every converter of a modality has", () => {
    const rich = deviceConverter({
      name: "rich",
      consumes: ["tug"],
      produces: { name: "pull", payloadFields: ["pull", "grip"] },
      createState: () => null,
      convert: () => ({ value: { pull: 1, grip: 1 }, state: null }),
    });
    const schema = new InputCanonicalizer({ converters: [rich, first] }).canonicalSchema(SOURCE);
    expect(schema.modalities.map(({ payloadFields }) => payloadFields)).toEqual([["pull"]]);
  });

  it("needs the payload fields that a converter asks for", () => {
    const picky = deviceConverter({
      name: "picky",
      consumes: [{ eventType: "tug", payloadFields: ["force"] }],
      produces: PULL,
      createState: () => null,
      convert: () => ({ value: undefined, state: null }),
    });
    const picked = new InputCanonicalizer({ converters: [picky] });
    expect(picked.convertersFor(SOURCE)).toEqual([]);
    expect(picked.convertersFor({ capabilities: [{ eventType: "tug", payloadFields: ["force", "x"] }] })).toEqual([
      picky,
    ]);
  });
});

describe("InputCanonicalizer.canonicalize", () => {
  it("takes the value of the highest priority that returned one and says who supplied it", () => {
    const quiet = counter("quiet", { priority: 5, speaks: () => false });
    const loud = counter("loud", { priority: 1 });
    const canonicalizer = new InputCanonicalizer({ converters: [counter("last"), loud, quiet] });
    const { canonical } = canonicalizer.canonicalize(
      { events: [tug(0.5)] },
      WINDOW,
      SOURCE,
      canonicalizer.createState(),
    );
    expect(canonical.values).toEqual({ pull: { pull: 1 } });
    expect(canonical.metadata.canonicalSources).toEqual({ pull: "loud" });
  });

  it("shows every window to every converter that can be fed, so that an overruled device is up to date when it wins", () => {
    const boss = counter("boss", { priority: 1, speaks: (count) => count < 3 });
    const canonicalizer = new InputCanonicalizer({ converters: [boss, counter("worker")] });
    let state = canonicalizer.createState();
    const sources: unknown[] = [];
    for (let index = 0; index < 3; index += 1) {
      const window = { startSeconds: index, endSeconds: index + 1 };
      const result = canonicalizer.canonicalize({ events: [tug(index + 0.1)] }, window, SOURCE, state);
      state = result.state;
      sources.push(result.canonical.metadata.canonicalSources, result.canonical.values.pull);
    }
    expect(sources.slice(4)).toEqual([{ pull: "worker" }, { pull: 3 }]);
  });

  it("fills in the neutral value of a modality when every device is idle, and none where there is no neutral value", () => {
    const bare = deviceConverter({
      name: "bare",
      consumes: [],
      produces: { name: "rare" },
      createState: () => null,
      convert: () => ({ value: undefined, state: null }),
    });
    const canonicalizer = new InputCanonicalizer({ converters: [counter("quiet", { speaks: () => false }), bare] });
    const { canonical } = canonicalizer.canonicalize({}, WINDOW, SOURCE, canonicalizer.createState());
    expect(canonical.values).toEqual({ pull: { pull: 0 } });
    expect(canonical.metadata.canonicalSources).toEqual({ pull: NEUTRAL_SOURCE });
  });

  it("has no value for a modality that the source cannot supply", () => {
    const canonicalizer = new InputCanonicalizer({ converters: [counter("deaf", { eventType: "whistle" })] });
    expect(canonicalizer.canonicalize({}, WINDOW, SOURCE, canonicalizer.createState()).canonical.values).toEqual({});
  });

  it("shows a converter the events of the window only, its end excluded", () => {
    const canonicalizer = new InputCanonicalizer({ converters: [counter("only")] });
    const events = [tug(0.9), tug(1), tug(1.5), tug(2)];
    const window = { startSeconds: 1, endSeconds: 2 };
    const { canonical } = canonicalizer.canonicalize({ events }, window, SOURCE, canonicalizer.createState());
    expect(canonical.values).toEqual({ pull: { pull: 2 } });
  });

  it("never changes a state in place, gives a new frozen one, and the same one when nothing changed", () => {
    const canonicalizer = new InputCanonicalizer({
      converters: [counter("one"), counter("two", { eventType: "rope" })],
    });
    const before = canonicalizer.createState();
    const after = canonicalizer.canonicalize({ events: [tug(0)] }, WINDOW, SOURCE, before).state;
    expect(before).toEqual({ one: 0, two: 0 });
    expect(after).toEqual({ one: 1, two: 0 });
    expect(Object.isFrozen(before) && Object.isFrozen(after)).toBe(true);
    expect(canonicalizer.canonicalize({}, WINDOW, SOURCE, after).state).toBe(after);
    expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  });

  it("starts a converter that a state does not know from its fresh state", () => {
    const canonicalizer = new InputCanonicalizer({ converters: [counter("new")] });
    expect(canonicalizer.canonicalize({ events: [tug(0)] }, WINDOW, SOURCE, {}).state).toEqual({ new: 1 });
    expect(canonicalizer.canonicalize({}, WINDOW, SOURCE, {}).state).toEqual({ new: 0 });
  });

  it("carries the number of the newest client message", () => {
    const canonicalizer = new InputCanonicalizer();
    const inputs = userInputs({ metadata: { inputSequence: 7, other: 1 } });
    const { canonical } = canonicalizer.canonicalize(inputs, WINDOW, SOURCE, canonicalizer.createState());
    expect(canonical.metadata).toEqual({ canonicalSources: {}, inputSequence: 7 });
  });

  it("gives immutable values that pass the factory as they are", () => {
    const canonicalizer = new InputCanonicalizer({ converters: [counter("only")] });
    const { canonical } = canonicalizer.canonicalize({}, WINDOW, SOURCE, canonicalizer.createState());
    expect(isMade(canonical, "CanonicalInputs")).toBe(true);
    expect(canonicalInputs(canonical)).toBe(canonical);
    expect(() => Object.assign(canonical.values, { pull: 1 })).toThrow(TypeError);
    expect(() => Object.assign(canonical.values.pull as object, { pull: 1 })).toThrow(TypeError);
  });
});

describe("InputCanonicalizer.canonicalize with faulty converters", () => {
  function faulty(convert: () => unknown): () => unknown {
    const converter = deviceConverter({
      name: "odd",
      consumes: [],
      produces: PULL,
      createState: () => null,
      convert: convert as never,
    });
    const canonicalizer = new InputCanonicalizer({ converters: [converter] });
    return () => canonicalizer.canonicalize({}, WINDOW, SOURCE, canonicalizer.createState());
  }

  it("names the converter that returned nothing, no state, no mapping or a value without a declared field", () => {
    expect(faulty(() => undefined)).toThrow(/DeviceConverter\("odd"\)\.convert\(\)/);
    expect(faulty(() => ({ value: undefined }))).toThrow(/DeviceConverter\("odd"\)\.convert\(\)\.state/);
    expect(faulty(() => ({ value: 3, state: null }))).toThrow(/CanonicalInputs\.values\.pull/);
    expect(faulty(() => ({ value: {}, state: null }))).toThrow(/CanonicalInputs\.values\.pull: lacks "pull"/);
  });

  it("names the converter that threw and keeps what it said", () => {
    const thrown = faulty(() => {
      throw new TypeError("no such stick");
    });
    expect(thrown).toThrow(/DeviceConverter\("odd"\)\.convert\(\): no such stick/);
  });

  it("refuses a state that is none", () => {
    const canonicalizer = new InputCanonicalizer();
    expect(() => canonicalizer.canonicalize({}, WINDOW, SOURCE, undefined as never)).toThrow(/CanonicalizerState/);
  });
});
