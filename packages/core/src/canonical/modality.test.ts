import { describe, expect, it } from "vitest";
import { canonicalModality } from "./canonical-inputs.ts";
import { MODALITIES } from "./modalities.ts";
import { modality, neutralValue } from "./modality.ts";

describe("modality", () => {
  it("takes the fields from the neutral value unless they are named", () => {
    expect(modality<{ a: number; b: number }>({ name: "m", neutral: { a: 0, b: 1 } }).payloadFields).toEqual([
      "a",
      "b",
    ]);
    const part = modality<{ a: number; b: number }>({ name: "m", neutral: { a: 0, b: 1 }, payloadFields: ["b"] });
    expect(part.payloadFields).toEqual(["b"]);
  });

  it("freezes the neutral value and copies it", () => {
    const neutral = { a: 0 };
    const made = modality<{ a: number }>({ name: "m", neutral });
    neutral.a = 5;
    expect(neutralValue(made)).toEqual({ a: 0 });
  });

  it("refuses a blank name, unknown keys and a neutral value without a declared field", () => {
    expect(() => modality({ name: " " })).toThrow(/CanonicalModality\.name/);
    expect(() => modality({ name: "m", neutrall: {} } as never)).toThrow(/ModalityInput\.neutrall: .*"neutral"/);
    expect(() => modality({ name: "m", neutral: {}, payloadFields: ["a"] } as never)).toThrow(/lacks "a"/);
    expect(() => modality(null as never)).toThrow(/ModalityInput/);
  });

  it("has no neutral value where none is declared", () => {
    expect(neutralValue(canonicalModality({ name: "plain" }))).toBeUndefined();
  });

  it("ships five modalities under their names, each neutral but conditioning", () => {
    for (const [name, shipped] of Object.entries(MODALITIES)) expect(shipped.name).toBe(name);
    const neutral = Object.values(MODALITIES).filter((shipped) => neutralValue(shipped) !== undefined);
    expect(neutral.map(({ name }) => name)).toEqual(["driver_command", "camera_motion", "look_delta", "actions"]);
  });
});
