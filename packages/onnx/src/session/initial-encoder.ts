import { DreamloopError, ERROR_CODES, type Mapping } from "@dreamloop/core";
import { nearest, refuse } from "@dreamloop/core/internal";
import { filledTensor, tensorOf, type Tensor } from "../manifest/tensor.ts";
import type { ChoiceDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { imageTensor } from "./image-tensor.ts";
import type { PromptEncoder } from "../plan/prompt-encoder.ts";
import { rawTensor } from "./raw-tensor.ts";

/** Key of `ModelInputs.metadata` under which prompts that were not passed on are reported, by input name. */
export const REFUSED_PROMPTS = "refusedPrompts";

/** What became of the words of a prompt. */
export interface PromptReport {
  /** Words that took effect. */
  readonly knownWords: readonly string[];
  /** Words that the vocabulary lacks. */
  readonly unknownWords: readonly string[];
  /** Known words that there was no room for. */
  readonly cutWords: readonly string[];
  /** Whether the prompt took effect: one of which no word is known does not. */
  readonly applied: boolean;
}

/** An initial value as a tensor. */
export interface EncodedInitial {
  /** The numbers. */
  readonly tensor: Tensor;
  /** For prompts: what became of the words. */
  readonly report?: PromptReport;
}

/** Turns the initial inputs of a session into tensors. */
export class InitialEncoder {
  readonly #declarations: WorldManifest["inputs"]["initial"];
  readonly #prompts: ReadonlyMap<string, PromptEncoder>;

  /** `prompts` has an encoder for every prompt input. */
  constructor(declarations: WorldManifest["inputs"]["initial"], prompts: ReadonlyMap<string, PromptEncoder>) {
    this.#declarations = declarations;
    this.#prompts = prompts;
  }

  /** Names of the inputs. */
  get names(): readonly string[] {
    return Object.keys(this.#declarations);
  }

  /**
   * The tensor for a value, or for the default when the value is absent; `undefined` when there is none either. Throws
   * `invalid_value` for values that do not fit, among them prompts of which no word is known.
   */
  encode(name: string, slot: Mapping, slotName: "initial" | "update"): EncodedInitial | undefined {
    const declaration = this.#declarations[name];
    const value = slot[name] ?? ("default" in declaration ? declaration.default : undefined);
    if (value === undefined) return undefined;
    const path = `ModelInputs.${slotName}.${name}`;
    switch (declaration.type) {
      case "prompt":
        return this.#prompt(name, value, path);
      case "choice":
        return { tensor: choiceTensor(declaration, value, path) };
      case "image":
        return { tensor: imageTensor(declaration, value, path) };
      case "tensor": {
        if (slot[name] === undefined) {
          return { tensor: filledTensor(declaration.dtype, declaration.shape, declaration.default) };
        }
        return { tensor: rawTensor(declaration, value, path) };
      }
    }
  }

  #prompt(name: string, value: unknown, path: string): EncodedInitial {
    if (typeof value !== "string") refuse(path, "a string", value);
    const encoder = this.#prompts.get(name) as PromptEncoder;
    const { tensor, knownWords, unknownWords, cutWords } = encoder.encode(value);
    if (knownWords.length === 0 && unknownWords.length > 0) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `${path}: none of the words ${unknownWords.map((word) => JSON.stringify(word)).join(", ")} is known; ` +
          `use some of these: ${encoder.words.slice(0, 60).join(", ")}`,
        { details: { unknownWords } },
      );
    }
    return { tensor, report: { knownWords, unknownWords, cutWords, applied: true } };
  }
}

function choiceTensor(declaration: ChoiceDeclaration, value: unknown, path: string): Tensor {
  const names = Object.keys(declaration.choices);
  const asked = typeof value === "string" ? value.trim().toLowerCase() : undefined;
  const name = names.find((each) => each.toLowerCase() === asked);
  if (name === undefined) {
    const near = typeof value === "string" ? nearest(value, names) : undefined;
    const hint = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
    return refuse(path, `one of ${names.map((each) => JSON.stringify(each)).join(", ")}${hint}`, value);
  }
  return tensorOf(declaration.dtype, declaration.shape, declaration.choices[name]);
}
