import type { ControlHint, InferenceConfigInput } from "@dreamloop/core";
import type { WorldInfo, WorldReferenceInput } from "@dreamloop/node";
import type { WorldSummary } from "@dreamloop/protocol";
import { posterPath, type WorldPoster } from "./world-poster.ts";

/** A world that a server offers. */
export interface ServedWorld {
  /** The name under which clients ask for it. */
  readonly id: string;
  /** For people; default the id. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** Whether it is code or a bundle of weights; default code. */
  readonly kind?: "module" | "bundle";
  /** Where its adapter comes from. */
  readonly reference: WorldReferenceInput;
  /** How it runs; default the adapter's choices. */
  readonly config?: Partial<InferenceConfigInput>;
  /** Whether `width` and `height` may be given as runtime options; default false. */
  readonly acceptsSize?: boolean;
  /** Pixels a row, where that is known without loading. */
  readonly width?: number;
  /** Rows. */
  readonly height?: number;
  /** The world's own rate. */
  readonly framesPerSecond?: number;
  /** Controls to show before it is loaded. */
  readonly controls?: readonly ControlHint[];
  /** Initial inputs, known before it is loaded. */
  readonly initialFields?: WorldSummary["initialFields"];
  /** Words that the prompt understands. */
  readonly promptVocabulary?: readonly string[];
  /** Whole prompts that its author offers. */
  readonly promptSuggestions?: readonly string[];
  /** The model card as Markdown. */
  readonly modelCard?: string;
  /** Its picture, made by `worldPoster`. */
  readonly poster?: WorldPoster;
}

/** What clients see of a world; `info` is what is known once it is loaded. */
export function worldSummary(world: ServedWorld, info: WorldInfo | undefined, isLoaded: boolean): WorldSummary {
  const { id, kind = "module", acceptsSize = false, modelCard, poster } = world;
  const width = info?.session.width ?? world.width;
  const height = info?.session.height ?? world.height;
  const framesPerSecond = info?.session.framesPerSecond ?? world.framesPerSecond;
  const vocabulary = info?.promptVocabulary ?? world.promptVocabulary;
  const suggestions = info?.promptSuggestions ?? world.promptSuggestions;
  return {
    id,
    title: world.title ?? info?.title ?? id,
    description: world.description ?? info?.description ?? "",
    kind,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(framesPerSecond === undefined ? {} : { framesPerSecond }),
    controls: info?.controls ?? world.controls ?? [],
    initialFields: info?.initialFields ?? world.initialFields ?? [],
    ...(vocabulary === undefined ? {} : { promptVocabulary: vocabulary }),
    ...(suggestions === undefined ? {} : { promptSuggestions: suggestions }),
    acceptsSize,
    loaded: isLoaded,
    ...(modelCard === undefined ? {} : { modelCard }),
    ...(poster === undefined ? {} : { posterPath: posterPath(id, poster) }),
  };
}
