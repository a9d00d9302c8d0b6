import { nearest } from "@dreamloop/core/internal";
import { distinctFaults, FAULT_CODES, MANIFEST_FILE, type Fault } from "../faults/fault.ts";
import { SMALL_FILE_BYTES, type BundleFiles, type FileFacts } from "../manifest/bundle-files.ts";
import { pathFault } from "../manifest/path-fault.ts";
import type { PromptDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { notJsonFault, readJsonText, readManifest } from "../manifest/read-manifest.ts";
import { planPipeline } from "./plan-world.ts";
import type { WorldPlan } from "./world-plan.ts";
import { PromptEncoder, splitWords, type Vocabulary } from "./prompt-encoder.ts";

/** A bundle whose manifest is sound; its weights have not been looked at. */
export interface Bundle {
  /** Its files. */
  readonly files: BundleFiles;
  /** Its manifest. */
  readonly manifest: WorldManifest;
  /** The pipeline with its references resolved. */
  readonly plan: WorldPlan;
  /** The vocabulary of each prompt input. */
  readonly vocabularies: ReadonlyMap<string, Vocabulary>;
}

/** The outcome of opening a bundle. */
export interface BundleOpening {
  /** The bundle; absent when there are faults. */
  readonly bundle?: Bundle;
  /** What was parsed of the manifest, however wrong; absent when it is no JSON. */
  readonly raw?: unknown;
  /** All faults of the manifest and of its vocabularies. */
  readonly faults: readonly Fault[];
}

/** Reads the manifest and the vocabularies of a bundle, nothing else. */
export async function openBundle(files: BundleFiles): Promise<BundleOpening> {
  const json = await readSmallJson(files, MANIFEST_FILE);
  if (json.value === undefined) return { faults: json.faults };
  const reading = readManifest(json.value);
  if (reading.manifest === undefined) return { raw: json.value, faults: [...json.faults, ...reading.faults] };
  const { manifest } = reading;
  const { plan, faults } = planPipeline(manifest);
  const vocabularies = await readVocabularies(files, manifest);
  const all = distinctFaults([...json.faults, ...faults, ...vocabularies.faults]);
  if (all.length > 0) return { raw: json.value, faults: all };
  return { bundle: { files, manifest, plan, vocabularies: vocabularies.byInput }, raw: json.value, faults: [] };
}

interface SmallJson {
  /** What was parsed; absent when it is no JSON. */
  readonly value?: unknown;
  readonly faults: readonly Fault[];
}

/** Reads a JSON file; `at` is the place in the manifest that names it, nothing for the manifest itself. */
async function readSmallJson(files: BundleFiles, path: string, at?: string): Promise<SmallJson> {
  const fault = at === undefined ? await manifestFault(files) : await pathFault(files, path, at);
  if (fault !== undefined) return { faults: [fault] };
  const { bytes } = (await files.stat(path)) as FileFacts;
  if (bytes > SMALL_FILE_BYTES) {
    return { faults: [notJsonFault(path, new Error(`${bytes} bytes, more than ${SMALL_FILE_BYTES}`))] };
  }
  const content = await files.read(path);
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { faults: [{ ...notJsonFault(path, new Error("UTF-16 text")), mend: "Save it as UTF-8." }] };
  }
  try {
    return readJsonText(path, new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch (error) {
    return { faults: [notJsonFault(path, error)] };
  }
}

async function manifestFault(files: BundleFiles): Promise<Fault | undefined> {
  const obstacle = await files.obstacle(MANIFEST_FILE);
  if (obstacle === undefined && (await files.stat(MANIFEST_FILE)) !== undefined) return undefined;
  return {
    code: FAULT_CODES.manifestMissing,
    file: MANIFEST_FILE,
    path: "",
    expected: `a file ${MANIFEST_FILE} in ${files.location}`,
    found: obstacle?.found ?? "none",
    mend: "Point at the folder that holds the manifest.",
  };
}

async function readVocabularies(
  files: BundleFiles,
  manifest: WorldManifest,
): Promise<{ readonly byInput: ReadonlyMap<string, Vocabulary>; readonly faults: readonly Fault[] }> {
  const byInput = new Map<string, Vocabulary>();
  const faults: Fault[] = [];
  for (const [name, input] of Object.entries(manifest.inputs.initial)) {
    if (input.type !== "prompt") continue;
    const { words, file } = input.vocabulary;
    const faultsBefore = faults.length;
    if (words !== undefined) {
      byInput.set(name, readWords(words, input, MANIFEST_FILE, `inputs.initial.${name}.vocabulary.words`, faults));
    } else if (file !== undefined) {
      const json = await readSmallJson(files, file, `inputs.initial.${name}.vocabulary.file`);
      faults.push(...json.faults);
      if (json.value !== undefined) byInput.set(name, readWords(json.value, input, file, "", faults));
    }
    const vocabulary = byInput.get(name);
    // Of a vocabulary with faults nothing can be said.
    if (vocabulary === undefined || faults.length > faultsBefore) continue;
    faults.push(...textFaults(input, vocabulary, `inputs.initial.${name}`));
  }
  return { byInput, faults };
}

/** What is offered, and what is there when nothing is said, has to be understood whole, or it would not give what it says. */
function textFaults(input: PromptDeclaration, vocabulary: Vocabulary, path: string): readonly Fault[] {
  const encoder = new PromptEncoder(input, vocabulary);
  const known = [...vocabulary.keys()];
  const fault = (at: string, expected: string, found: string, mend: string): Fault => ({
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: at,
    expected,
    found,
    mend,
  });
  const wordFault = (text: string, at: string, mend: string): Fault | undefined => {
    const { knownWords, unknownWords, cutWords } = encoder.encode(text);
    const [unknown] = unknownWords;
    if (unknown !== undefined) {
      const near = nearest(unknown, known);
      const expected = `words of the vocabulary: ${known.slice(0, 20).join(", ")}${known.length > 20 ? ", …" : ""}`;
      return fault(at, expected, unknownWords.join(", "), near === undefined ? mend : `Did you mean "${near}"?`);
    }
    if (cutWords.length === 0) return undefined;
    return fault(at, `at most ${knownWords.length} words`, JSON.stringify(text), mend);
  };
  const byDefault =
    input.default === undefined ? undefined : wordFault(input.default, `${path}.default`, "Correct the default.");
  const seen = new Set<string>();
  const suggested = (input.suggestions ?? []).flatMap((suggestion, index) => {
    const at = `${path}.suggestions[${index}]`;
    const mend = "Correct the suggestion, or leave it out.";
    const words = splitWords(suggestion, input.vocabulary.split).join(" ");
    const wrong = wordFault(suggestion, at, mend);
    if (wrong !== undefined) return [wrong];
    if (words === "") return [fault(at, "at least one word", JSON.stringify(suggestion), mend)];
    if (seen.has(words)) return [fault(at, "each suggestion once", JSON.stringify(suggestion), mend)];
    seen.add(words);
    return [];
  });
  return [...(byDefault === undefined ? [] : [byDefault]), ...suggested];
}

/** Words that the split rule could never give would be dead entries, so they are faults. */
function readWords(value: unknown, input: PromptDeclaration, file: string, path: string, faults: Fault[]): Vocabulary {
  const words = new Map<string, number>();
  const add = (at: string, expected: string, found: string): void => {
    faults.push({ code: FAULT_CODES.invalidValue, file, path: at, expected, found, mend: "Correct the entry." });
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    add(path, "an object from words to numbers", Array.isArray(value) ? "a list" : String(value));
    return words;
  }
  for (const [word, number] of Object.entries(value) as [string, unknown][]) {
    const at = path === "" ? word : `${path}.${word}`;
    const parts = splitWords(word, input.vocabulary.split);
    if (parts.length !== 1 || parts[0] !== word)
      add(at, "one word in lower case, as prompts are split", JSON.stringify(word));
    if (!Number.isSafeInteger(number) || (number as number) < 0 || (number as number) > 2_147_483_647) {
      add(at, "a whole number from 0 to 2147483647", String(number));
    }
    words.set(word, number as number);
  }
  if (words.size === 0) add(path, "at least one word", "none");
  return words;
}
