import { modelInputs, type ModelInputs } from "../../mapping/model-inputs.ts";
import type { FrameHasher } from "../../rollout/run-observer.ts";
import { json, mapping, type Json } from "../../foundation/validate/reader.ts";
import { shape } from "../../foundation/validate/record.ts";
import { contentAddressOf } from "../../snapshot/content/content-address.ts";
import { hashValue } from "./hash-value.ts";
import type { PayloadReader } from "./payload-reader.ts";
import type { PayloadStore } from "../../snapshot/content/payload-store.ts";
import { resolveValue, storedValue } from "./resolve-value.ts";
import type { EncodedArray } from "./trace-value.ts";

/** Model inputs in the form in which they are hashed and kept. */
export interface EncodedModelInputs {
  /** Address of `content`: the hash by which two model inputs are compared. */
  readonly address: string;
  /** The three slots as JSON with sorted keys, in UTF-8; arrays stand in it by their addresses. */
  readonly content: Uint8Array;
  /** The arrays of which `content` speaks. */
  readonly arrays: readonly EncodedArray[];
}

/**
 * Encodes and hashes model inputs. The slots `initial`, `step` and `update` count; `metadata`, which no model consumes, does not.
 * Throws `invalid_value` naming the place of what a trace cannot hold.
 */
export async function encodeModelInputs(inputs: ModelInputs, hasher: FrameHasher): Promise<EncodedModelInputs> {
  const { initial, step, update } = inputs;
  const hashed = await hashValue({ initial, step, update }, "ModelInputs", hasher);
  const content = new TextEncoder().encode(JSON.stringify(hashed.json()));
  return { address: await contentAddressOf(content, hasher), content, arrays: hashed.arrays };
}

/** Keeps model inputs and their arrays in a store. */
export async function storeModelInputs(encoded: EncodedModelInputs, store: PayloadStore): Promise<void> {
  for (const { hash, bytes } of encoded.arrays) await store.put(hash, bytes);
  await store.put(encoded.address, encoded.content);
}

const readSlots = shape<{ readonly initial: unknown; readonly step: unknown; readonly update: unknown }>({
  initial: mapping,
  step: mapping,
  update: mapping,
});

/** Reads model inputs back from their address. Throws what `PayloadReader` throws. */
export async function loadModelInputs(address: string, payloads: PayloadReader): Promise<ModelInputs> {
  const content = await payloads.content(address, "model inputs");
  const parsed: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  const stored = storedValue(json(parsed, "ModelInputs") satisfies Json, "ModelInputs");
  const slots = readSlots(await resolveValue(stored, "ModelInputs", payloads), "ModelInputs");
  return modelInputs(slots as Parameters<typeof modelInputs>[0]);
}
