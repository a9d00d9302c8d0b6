import { DreamloopError, ERROR_CODES, modelInputs } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { describedWorldSchema, loadReplySchema, type DescribedVideo } from "../protocol/message-schemas.ts";
import type { ConnectedWorld } from "./connected-world.ts";
import type { ProtocolClient } from "./protocol-client.ts";
import { RemoteRuntime } from "./remote-runtime.ts";

const VIDEO: DescribedVideo = {
  width: 8,
  height: 8,
  framesPerSecond: 10,
  framesPerStep: 1,
  firstStepFrames: 1,
  inputLatencySteps: 0,
  deterministic: true,
};
const described = describedWorldSchema.parse({
  id: "played",
  version: "1",
  video: VIDEO,
  initial: [],
  controls: {},
  maxSessions: 2,
  capabilities: { finalize: false, snapshots: true },
});

/** Worlds that the test connects, and how each is ended from outside. */
class PlayedWorlds {
  readonly kills: ((error: DreamloopError) => void)[] = [];
  readonly warnings: string[] = [];
  closed = 0;

  connect(video = VIDEO): ConnectedWorld {
    let kill: (error: DreamloopError) => void = () => undefined;
    const failed = new Promise<DreamloopError>((resolve) => (kill = resolve));
    this.kills.push(kill);
    return {
      client: { failure: undefined, request: () => Promise.reject(died(99)) } as unknown as ProtocolClient,
      loaded: loadReplySchema.parse({ video, facts: {}, slots: null }),
      facts: {},
      failed,
      hang: () => undefined,
      close: async () => void (this.closed += 1),
    };
  }
}

const died = (time: number): DreamloopError => new DreamloopError(ERROR_CODES.workerFailed, `it died, time ${time}`);

function create(worlds: PlayedWorlds, videos: readonly DescribedVideo[] = []): Promise<RemoteRuntime> {
  return RemoteRuntime.create(
    {
      described,
      label: "played.py",
      deadlines: { stepSeconds: 10 },
      restartSeconds: [0, 0, 0],
      connect: async () => worlds.connect(videos[worlds.kills.length]),
      onWarning: (text) => worlds.warnings.push(text),
    },
    new AbortController().signal,
  );
}

describe("a world that is loaded anew when it dies", () => {
  test("N4: it is started again, each time after its pause, and given up with the last reason", async () => {
    const worlds = new PlayedWorlds();
    const runtime = await create(worlds);
    for (let time = 1; time <= 4; time += 1) {
      expect(worlds.kills).toHaveLength(time);
      worlds.kills[time - 1]?.(died(time));
      await expect.poll(() => worlds.kills.length + (time === 4 ? 1 : 0)).toBe(time + 1);
    }
    const start = runtime.startSession(modelInputs(), { seed: 1 });
    await expect(start).rejects.toThrow(
      "played.py: it ended 4 times in a row and is not started again; the last time: it died, time 4",
    );
    expect(worlds.warnings).toHaveLength(3);
    await runtime.close();
  });

  test("a world that comes back with another size is refused: targets were opened with the first", async () => {
    const worlds = new PlayedWorlds();
    const runtime = await create(worlds, [VIDEO, { ...VIDEO, width: 16 }]);
    worlds.kills[0]?.(died(1));
    await expect.poll(() => worlds.kills.length).toBe(2);
    await expect.poll(() => worlds.closed).toBe(2);
    await runtime.close();
  });

  test("a session that cannot be opened leaves its place free, and a closed runtime starts none", async () => {
    const worlds = new PlayedWorlds();
    const runtime = await create(worlds);
    await expect(runtime.startSession(modelInputs(), { seed: 1 })).rejects.toThrow("it died, time 99");
    await runtime.close();
    expect(worlds.closed).toBe(1);
    await expect(runtime.startSession(modelInputs(), { seed: 1 })).rejects.toMatchObject({ code: "closed" });
  });
});
