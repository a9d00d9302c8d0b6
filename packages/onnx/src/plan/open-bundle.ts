import { FAULT_CODES, type Fault, MANIFEST_FILE } from "../faults/fault.ts";
import { SMALL_FILE_BYTES, unsafePathReason, type BundleFiles } from "../manifest/bundle-files.ts";
import type { PromptDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { notJsonFault, readManifest } from "../manifest/read-manifest.ts";
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
  if (json.fault !== undefined) return { faults: [json.fault] };
  const reading = readManifest(json.value);
  if (reading.manifest === undefined) return { raw: json.value, faults: reading.faults };
  const { manifest } = reading;
  const { plan, faults } = planPipeline(manifest);
  const vocabularies = await readVocabularies(files, manifest);
  const all = [...faults, ...vocabularies.faults];
  if (all.length > 0) return { raw: json.value, faults: all };
  return { bundle: { files, manifest, plan, vocabularies: vocabularies.byInput }, raw: json.value, faults: [] };
}

type SmallJson = { readonly value: unknown; readonly fault?: undefined } | { readonly fault: Fault };

async function readSmallJson(files: BundleFiles, path: string): Promise<SmallJson> {
  const facts = unsafePathReason(path) === undefined ? await files.stat(path) : undefined;
  if (facts === undefined) {
    const isManifest = path === MANIFEST_FILE;
    return {
      fault: {
        code: isManifest ? FAULT_CODES.manifestMissing : FAULT_CODES.fileMissing,
        file: path,
        path: "",
        expected: `a file ${path} in ${files.location}`,
        found: "none",
        mend: isManifest ? "Point at the folder that holds the manifest." : "Add the file, or correct its path.",
      },
    };
  }
  if (facts.bytes > SMALL_FILE_BYTES) {
    return { fault: notJsonFault(path, new Error(`${facts.bytes} bytes, more than ${SMALL_FILE_BYTES}`)) };
  }
  let text: string | undefined;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await files.read(path));
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { fault: notJsonFault(path, error, text) };
  }
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
      const json = await readSmallJson(files, file);
      if (json.fault !== undefined) faults.push(json.fault);
      else byInput.set(name, readWords(json.value, input, file, "", faults));
    }
    const vocabulary = byInput.get(name);
    // Of a vocabulary with faults nothing can be said.
    if (vocabulary === undefined || faults.length > faultsBefore) continue;
    faults.push(...suggestionFaults(input, vocabulary, `inputs.initial.${name}.suggestions`));
  }
  return { byInput, faults };
}

/** What is offered has to be understood whole, or choosing it would not give what it says. */
function suggestionFaults(input: PromptDeclaration, vocabulary: Vocabulary, path: string): readonly Fault[] {
  const encoder = new PromptEncoder(input, vocabulary);
  const seen = new Set<string>();
  return (input.suggestions ?? []).flatMap((suggestion, index) => {
    const fault = (expected: string, found: string): Fault => ({
      code: FAULT_CODES.invalidValue,
      file: MANIFEST_FILE,
      path: `${path}[${index}]`,
      expected,
      found,
      mend: "Correct the suggestion, or leave it out.",
    });
    const words = splitWords(suggestion, input.vocabulary.split).join(" ");
    const { knownWords, unknownWords, cutWords } = encoder.encode(suggestion);
    if (unknownWords.length > 0) return fault("words of the vocabulary", unknownWords.join(", "));
    if (knownWords.length === 0) return fault("at least one word", JSON.stringify(suggestion));
    if (cutWords.length > 0) return fault(`at most ${knownWords.length} words`, JSON.stringify(suggestion));
    if (seen.has(words)) return fault("each suggestion once", JSON.stringify(suggestion));
    seen.add(words);
    return [];
  });
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
