import { modelInputs, type ModelInputsInput } from "@dreamloop/core";
import {
  finite,
  flag,
  optional,
  readHistoryOptions,
  recordFactory,
  refuse,
  shape,
  type MomentLimits,
} from "@dreamloop/core/internal";
import type { SessionStart } from "./messages.ts";

const bytes = optional(finite({ integer: true, min: 1 }));

const read = recordFactory<SessionStart>("SessionStart", {
  initialInputs: (value) => {
    // Only checked: what the factory makes has methods and does not cross threads.
    if (value !== undefined) modelInputs(value as ModelInputsInput);
    return value as ModelInputsInput | undefined;
  },
  seed: optional(finite({ integer: true, min: 0 })),
  leadFrames: optional(finite({ min: 0, aboveMin: true })),
  stepLimit: optional(finite({ integer: true, min: 0 })),
  holdTimeoutSeconds: optional(finite({ min: 0, aboveMin: true })),
  checkFrames: optional(flag),
  maxChunksInFlight: optional(finite({ integer: true, min: 1 })),
  from: optional((value, path) =>
    value instanceof Uint8Array ? value : refuse(path, "the bytes of a moment file", value),
  ),
  momentLimits: optional((value, path) =>
    shape<Partial<MomentLimits>>({ fileBytes: bytes, headerBytes: bytes, contentBytes: bytes })(value, path),
  ),
  allowOtherEngine: optional(flag),
  history: optional(readHistoryOptions),
  trace: optional(flag),
});

/** Reads how a session is started; refuses unknown keys and wrong values before they reach the worker that others share. */
export function sessionStart(value: unknown): SessionStart {
  return read(value);
}
