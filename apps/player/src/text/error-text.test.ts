import { DreamloopError } from "@dreamloop/client";
import { describe, expect, test } from "vitest";
import { english } from "./english.ts";
import { errorText, sentence } from "./error-text.ts";
import { german } from "./german.ts";

describe("errors", () => {
  test.each([
    ["load_failed", "The world does not load", "by_hand"],
    ["worker_failed", "The world has stopped", "by_hand"],
    ["busy", "All places are taken", "by_itself"],
    ["unavailable", "The server cannot be reached", "by_itself"],
    ["not_found", "Nothing here", "none"],
    ["unauthorized", "The link is not complete", "none"],
  ] as const)("%s is called “%s”", (code, title, retry) => {
    const text = errorText(new DreamloopError(code, "why it is so"), english);
    expect(text).toMatchObject({ title, retry });
    expect(text.message).toMatch(/\.$/);
    expect(errorText(new DreamloopError(code, "why it is so"), german).title).not.toBe(title);
  });

  test("a full server's wait is handed on", () => {
    const busy = new DreamloopError("busy", "full", { details: { retryAfterSeconds: 7 } });
    expect(errorText(busy, english)).toMatchObject({ retryAfterSeconds: 7 });
  });

  test("what has no words of its own shows the message at once", () => {
    expect(errorText(new DreamloopError("invalid_value", "none of the words is known"), english)).toMatchObject({
      details: "None of the words is known.",
      detailsOpen: true,
    });
    expect(errorText(new Error("odd"), english)).toMatchObject({ details: "Odd.", retry: "by_hand" });
  });
});

describe("the end of a session", () => {
  const ended = (ending: string, endingMessage: string): DreamloopError =>
    new DreamloopError("closed", `the session has ended: ${endingMessage}`, { details: { ending, endingMessage } });

  test("is explained by what ended it, and a world's fault as such", () => {
    expect(errorText(ended("closed", "nothing was done for too long"), english)).toEqual({
      title: english.faults.endedTitle,
      message: english.faults.endedIdle,
      retry: "by_hand",
    });
    const found = "expected 6912 values for 1 frame(s) of 64×36 rgb8, found 4";
    expect(errorText(ended("bad_frame", found), english)).toMatchObject({
      title: "The world has stopped",
      details: `${sentence(found)}`,
    });
    const unknown = "none of the words is known";
    expect(errorText(ended("invalid_value", unknown), english)).toEqual(
      errorText(new DreamloopError("invalid_value", unknown), english),
    );
  });

  test("by a server that stops is no fault, and passes by itself", () => {
    const closing = new DreamloopError("closed", "the server is closing", { details: { reason: "server_closing" } });
    for (const error of [closing, ended("closed", "the server is closing")]) {
      expect(errorText(error, english)).toEqual({
        title: "The server has stopped",
        message: english.faults.stoppedText,
        retry: "by_itself",
      });
    }
  });

  test("says by whom the session was taken over", () => {
    expect(errorText(new DreamloopError("closed", "another page took over"), english).message).toBe(
      english.faults.endedElsewhere,
    );
  });
});

test("a message becomes a sentence, and one that was cut gets no full stop", () => {
  expect(sentence("use some of these: day…")).toBe("Use some of these: day…");
  expect(sentence("it is so")).toBe("It is so.");
});
