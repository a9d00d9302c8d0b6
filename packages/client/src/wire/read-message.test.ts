import fc from "fast-check";
import { isDreamloopError } from "@dreamloop/core";
import { expect, test } from "vitest";
import { readServerMessage } from "./read-message.ts";

test("a message passes with fields of a newer server, one of an unknown type is ignored", () => {
  const text = '{"type":"state","state":"running","generation":1,"seed":2,"mood":"fine"}';
  expect(readServerMessage(text)).toMatchObject({ type: "state", mood: "fine" });
  expect(readServerMessage('{"type":"horoscope"}')).toBeUndefined();
});

test("a wrong field is refused by name", () => {
  expect(() => readServerMessage('{"type":"state","state":"running","generation":"1","seed":2}')).toThrow(
    "ServerMessage(state).generation: expected a number",
  );
  expect(() => readServerMessage("[]")).toThrow("ServerMessage: expected an object");
  expect(() => readServerMessage("{")).toThrow("expected JSON");
});

test("whatever comes is read or refused with a DreamloopError", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        readServerMessage(text);
      } catch (error) {
        expect(isDreamloopError(error, "invalid_value")).toBe(true);
      }
    }),
  );
});
