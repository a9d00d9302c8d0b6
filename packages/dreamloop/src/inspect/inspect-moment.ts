import { openMomentFile } from "@dreamloop/node";
import { videoFacts } from "../run/run-result.ts";
import { formatBytes, formatDuration } from "../terminal/format.ts";
import { line, type Inspection } from "./inspection.ts";

/** Says what a moment file holds; its state is read and proven too. */
export async function inspectMoment(path: string): Promise<Inspection> {
  const moment = await openMomentFile(path);
  const { facts, sizes, traceBytes } = moment;
  await moment.state();
  const picture = await moment.picture();
  const { binding, position, name, savedAt, prompt, dreamloopVersion } = facts;
  const { engine, engineVersion } = binding.runtimeFacts;
  return {
    kind: "moment",
    facts: {
      ...facts,
      sizes,
      ...(traceBytes === undefined ? {} : { traceBytes }),
      ...(picture === undefined
        ? {}
        : { picture: { type: picture.type, width: picture.width, height: picture.height } }),
    },
    lines: [
      ...line("name", name),
      ...line("world", `${binding.description.worldId}, ${videoFacts(binding.description)}`),
      ...line("saved", [savedAt, `dreamloop ${dreamloopVersion}`].filter(Boolean).join(", ")),
      ...line(
        "moment",
        `before step ${position.stepIndex} of generation ${position.generation}, at ${formatDuration(position.sessionSeconds)}`,
      ),
      ...line("seed", String(position.seed)),
      ...line("prompt", prompt),
      ...line(
        "engine",
        typeof engine === "string"
          ? [engine, typeof engineVersion === "string" ? engineVersion : ""].join(" ").trim()
          : undefined,
      ),
      ...line(
        "state",
        `${formatBytes(sizes.stateBytes)} in ${sizes.chunkCount} chunks, ${formatBytes(sizes.fileBytes)} on disk`,
      ),
      ...line("trace", traceBytes === undefined ? "none" : formatBytes(traceBytes)),
      ...line("picture", picture === undefined ? "none" : `${picture.type}, ${picture.width}×${picture.height}`),
    ],
  };
}
