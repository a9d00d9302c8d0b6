import type { FrameMetadata } from "@dreamloop/protocol";
import { splitMessageNumber } from "./message-number.ts";
import type { MediaFrame } from "../media/media-messages.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import type { Connection } from "./connection.ts";

/** Hands one encoded frame to everybody who watches. Nobody is waited for. */
export function fanOut(
  frame: MediaFrame,
  options: {
    readonly connections: Iterable<Connection>;
    readonly metrics: ServerMetrics;
    /** The clock of the process. */
    readonly nowSeconds: number;
  },
): void {
  const { connections, metrics, nowSeconds } = options;
  const latencySeconds = nowSeconds - frame.readSeconds;
  metrics.frameLatency.observe(latencySeconds);
  const metadata = frameMetadata(frame, latencySeconds);
  for (const connection of connections) {
    const before = connection.sentFrames;
    connection.deliver(frame, metadata);
    if (connection.sentFrames === before) continue;
    metrics.framesSent.inc({ transport: connection.outlet.transport, codec: frame.codec });
    metrics.bytesSent.inc(frame.data.byteLength);
  }
}

function frameMetadata(frame: MediaFrame, latencySeconds: number): FrameMetadata {
  const { rtpTimestamp, frameIndex, generation, stepIndex, frameInStep, messageNumber, keyFrame } = frame;
  const input = messageNumber === undefined ? undefined : splitMessageNumber(messageNumber);
  return {
    type: "frame",
    rtpTimestamp,
    frameIndex,
    generation,
    stepIndex,
    frameInStep,
    ...(input === undefined ? {} : { inputSequence: input.sequence, inputEpoch: input.epoch }),
    serverMilliseconds: latencySeconds * 1000,
    modelMilliseconds: frame.modelSeconds * 1000,
    encodeMilliseconds: frame.encodeSeconds * 1000,
    keyFrame,
  };
}
