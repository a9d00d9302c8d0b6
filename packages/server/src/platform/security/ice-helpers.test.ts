import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { IceHelpers } from "./ice-helpers.ts";

const STUN = { urls: "stun:stun.example.org" };
const TURN = { urls: ["turn:turn.example.org:3478"], username: "alice", credential: "s3cret" };
const OPEN_TURN = { urls: "turn:turn.example.org:3478" };

it("S2: everybody hears of STUN servers, and only those who were admitted of TURN servers", () => {
  const helpers = new IceHelpers({ iceServers: [STUN, TURN], lifetimeSeconds: 60 });
  expect(helpers.forEveryone).toEqual([STUN]);
  expect(helpers.forAdmitted("me")).toEqual([STUN, TURN]);
});

it("S3: with a shared secret each one who is admitted gets credentials of its own that end", () => {
  const helpers = new IceHelpers(
    { iceServers: [STUN, OPEN_TURN, TURN], turnSecret: "shared", lifetimeSeconds: 60 },
    () => 1_000_000,
  );
  const username = "1060:me";
  const credential = createHmac("sha1", "shared").update(username).digest("base64");
  expect(helpers.forAdmitted("me")).toEqual([STUN, { ...OPEN_TURN, username, credential }, TURN]);
  expect(JSON.stringify(helpers.forEveryone)).not.toContain("turn:");
});
