import { expect, test } from "vitest";
import { Emitter } from "./emitter.ts";

test("a listener that throws stops neither the others nor the sender, and one that has left hears nothing", () => {
  const errors: unknown[] = [];
  const emitter = new Emitter<{ readonly tick: number }>((error) => errors.push(error));
  const heard: number[] = [];
  emitter.on("tick", () => {
    throw new Error("no");
  });
  const leave = emitter.on("tick", (value) => heard.push(value));
  emitter.emit("tick", 1);
  leave();
  emitter.emit("tick", 2);
  expect(heard).toEqual([1]);
  expect(errors).toHaveLength(2);
});
