import {
  timeWindow,
  userInputs,
  type Conversion,
  type DeviceConverter,
  type Mapping,
  type TimeWindow,
  type UserInputEventInput,
  type UserInputs,
} from "@dreamloop/core";
import { canonicalValue, converterStateToJson } from "@dreamloop/core/internal";
import { deepFreeze, isEqual, expectContract, succeeds, type ConformanceCase } from "./conformance-case.ts";

/** What the suite needs to know about a converter. */
export interface ConverterConformanceOptions {
  /** The converter; one instance serves all cases, as a definition has no state. */
  readonly converter: DeviceConverter;
  /** A lively stretch of the events that it consumes, in non-decreasing time from 0 s. */
  readonly events: readonly UserInputEventInput[];
  /** Length of a window in seconds; default 0.1. */
  readonly windowSeconds?: number;
  /** Whether a value says that something is done. With the next fields it opens the cases about taps and releases. */
  readonly isActive?: (value: Mapping) => boolean;
  /** Payload and type of the event that presses something. */
  readonly press?: Pick<UserInputEventInput, "eventType" | "payload">;
  /** Payload and type of the event that releases it again. */
  readonly release?: Pick<UserInputEventInput, "eventType" | "payload">;
  /** Whether loss of focus releases it; default true. False for devices that report their whole state, such as gamepads. */
  readonly releasesOnFocusLoss?: boolean;
  /** Sums that have to be the same however `events` are cut into windows; for motion that is consumed by one step. */
  readonly sums?: (value: Mapping) => readonly number[];
}

/** Seconds of a window unless told otherwise. */
const DEFAULT_WINDOW_SECONDS = 0.1;

interface Converted {
  readonly values: readonly (Mapping | undefined)[];
  readonly states: readonly unknown[];
}

/** The cases that every device converter passes. */
export function converterConformance(options: ConverterConformanceOptions): readonly ConformanceCase[] {
  const { converter } = options;
  const windowSeconds = options.windowSeconds ?? DEFAULT_WINDOW_SECONDS;
  const windows = cut(options.events, windowSeconds);
  const convertAll = (): Converted => convertWindows(converter, windows);
  const cases: ConformanceCase[] = [
    {
      name: "the same windows give the same values and states",
      run: async () => {
        const contract = "a converter is a function of windows and state";
        expectContract(isEqual(convertAll(), convertAll()), contract, "another result for the same windows");
      },
    },
    {
      name: "sessions that take turns give what each gives alone",
      run: async () => {
        const alone = convertAll();
        let states: readonly unknown[] = [converter.createState(), converter.createState()];
        for (const [index, [inputs, window]] of windows.entries()) {
          states = states.map((state) => {
            const conversion = converter.convert(inputs, window, state);
            const isSame = isEqual(conversion.value, alone.values[index]);
            expectContract(
              isSame,
              "all state is in the state value, none in the converter",
              `another value in window ${index}`,
            );
            return conversion.state;
          });
        }
      },
    },
    {
      name: "F2: a window that is converted again from the same state gives the same, and the state given is not changed",
      run: async () => {
        let state = deepFreeze(converter.createState());
        for (const [index, [inputs, window]] of windows.entries()) {
          const before = structuredClone(state);
          const contract = "a converter never changes the state that it was given";
          const first = await succeeds(() => converter.convert(inputs, window, state), contract);
          expectContract(isEqual(before, state), contract, `the state given to window ${index} was changed`);
          const again = converter.convert(inputs, window, state);
          const retry = "a window that is converted again after a failed step gives the same";
          expectContract(isEqual(first, again), retry, `another result at the second try of window ${index}`);
          state = deepFreeze(first.state);
        }
      },
    },
    {
      name: "its state is plain JSON and continues from its copy",
      run: async () => {
        const { values } = convertAll();
        let state = converter.createState();
        for (const [index, [inputs, window]] of windows.entries()) {
          const read = (): unknown => converterStateToJson(converter, state);
          await succeeds(read, "the state of a converter is plain JSON, as snapshots and traces need it");
          state = JSON.parse(JSON.stringify(state)) as unknown;
          const conversion: Conversion<unknown> = converter.convert(inputs, window, state);
          const contract = "a converter continues from a copy of its state";
          expectContract(isEqual(conversion.value, values[index]), contract, `another value in window ${index}`);
          state = conversion.state;
        }
      },
    },
    {
      name: "its values have the declared fields and finite numbers",
      run: async () => {
        for (const value of convertAll().values) {
          if (value === undefined) continue;
          await succeeds(() => canonicalValue(converter.produces, value), "a value has every declared field");
          for (const [field, entry] of Object.entries(value)) {
            const isFinite = typeof entry !== "number" || Number.isFinite(entry);
            expectContract(isFinite, "numbers in a canonical value are finite", `${field}: ${String(entry)}`);
          }
        }
      },
    },
  ];
  if (options.sums !== undefined) cases.push(sumsCase(options, options.sums, windowSeconds));
  const { press, release, isActive } = options;
  if (press !== undefined && release !== undefined && isActive !== undefined)
    cases.push(...heldCases(options, { press, release, isActive }, windowSeconds));
  return cases;
}

function sumsCase(
  { converter, events }: ConverterConformanceOptions,
  sums: (value: Mapping) => readonly number[],
  windowSeconds: number,
): ConformanceCase {
  const total = (seconds: number): readonly number[] =>
    convertWindows(converter, cut(events, seconds)).values.reduce<readonly number[]>((sum, value) => {
      const parts = value === undefined ? [] : sums(value);
      return parts.length === 0 ? sum : parts.map((part, index) => part + (sum[index] ?? 0));
    }, []);
  return {
    name: "A4: motion sums up to the same however it is cut into windows",
    run: async () => {
      const expected = total(windowSeconds);
      expectContract(
        expected.some((sum) => sum !== 0),
        "the events of the suite hold some motion",
        JSON.stringify(expected),
      );
      for (const seconds of [windowSeconds / 7, windowSeconds * 3, 1000]) {
        const found = total(seconds);
        const isSame = found.length === expected.length && found.every((sum, index) => isNear(sum, expected[index]));
        const contract = `motion adds up to ${JSON.stringify(expected)} in windows of ${seconds} s too`;
        expectContract(isSame, contract, JSON.stringify(found));
      }
    },
  };
}

/** Within one rounding of the greater of the two, times a few additions. */
function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));
}

interface HeldEvents {
  readonly press: Pick<UserInputEventInput, "eventType" | "payload">;
  readonly release: Pick<UserInputEventInput, "eventType" | "payload">;
  readonly isActive: (value: Mapping) => boolean;
}

function heldCases(
  { converter, releasesOnFocusLoss = true }: ConverterConformanceOptions,
  { press, release, isActive }: HeldEvents,
  seconds: number,
): readonly ConformanceCase[] {
  /** In which of five windows something is active, given events at shares of a window. */
  const activity = (
    events: readonly (readonly [number, Pick<UserInputEventInput, "eventType" | "payload">])[],
  ): string => {
    const stamped = events.map(([at, event]) => ({ ...event, timestampSeconds: at * seconds }));
    const { values } = convertWindows(converter, cut(stamped, seconds).slice(0, 5));
    return values.map((value) => (value !== undefined && isActive(value) ? "x" : "-")).join("");
  };
  const expectActivity = (expected: string, found: string, contract: string): void =>
    expectContract(found === expected, `${contract} (${expected}, x for active)`, found);
  const blur = { eventType: "focus", payload: { focused: false } };
  const cases: ConformanceCase[] = [
    {
      name: "nothing is done before the first event",
      run: async () => expectActivity("-----", activity([]), "without events nothing is active"),
    },
    {
      name: "A3: a tap between two steps is seen by exactly one step",
      run: async () => {
        const inside = activity([
          [1.2, press],
          [1.4, release],
        ]);
        expectActivity("-x---", inside, "a press and release within a window are active in that window alone");
        const twice = activity([
          [1.2, press],
          [1.3, release],
          [1.4, press],
          [1.5, release],
        ]);
        expectActivity("-x---", twice, "two taps within a window are active in that window alone");
      },
    },
    {
      name: "what is held stays active in windows without events, until it is released",
      run: async () => {
        const held = activity([
          [1.2, press],
          [3.5, release],
        ]);
        const contract = "a control is active in a window at whose end it is held, or within which it was pressed";
        expectActivity("-xx--", held, contract);
      },
    },
    {
      name: "events belong to the window that begins at their time",
      run: async () => {
        const found = activity([
          [2, press],
          [3, release],
        ]);
        expectActivity("--x--", found, "windows are half-open: the start belongs to them, the end to the next");
      },
    },
  ];
  if (releasesOnFocusLoss) {
    cases.push({
      name: "A2: loss of focus releases everything that is held",
      run: async () => {
        const found = activity([
          [1.2, press],
          [2.5, blur],
        ]);
        expectActivity("-x---", found, "from the loss of focus on nothing is held");
      },
    });
  }
  return cases;
}

type Windowed = readonly (readonly [UserInputs, TimeWindow])[];

function cut(events: readonly UserInputEventInput[], seconds: number): Windowed {
  const all = userInputs({ events });
  const last = all.events[all.events.length - 1]?.timestampSeconds ?? 0;
  // Two windows more than the events need, so that what lasts too long shows.
  const count = Math.max(5, Math.floor(last / seconds) + 3);
  return Array.from({ length: count }, (_, index) => {
    const window = timeWindow({ startSeconds: index * seconds, endSeconds: (index + 1) * seconds });
    return [all.window(window), window] as const;
  });
}

function convertWindows(converter: DeviceConverter, windows: Windowed): Converted {
  let state = converter.createState();
  const values: (Mapping | undefined)[] = [];
  const states: unknown[] = [];
  for (const [inputs, window] of windows) {
    const conversion = converter.convert(inputs, window, state);
    state = conversion.state;
    values.push(conversion.value);
    states.push(state);
  }
  return { values, states };
}
