import { standardConverters } from "../../canonical/standard-converters.ts";
import type { DeviceConverter } from "../../canonical/device-converter.ts";
import type { InputMapping } from "../../mapping/input-mapping.ts";
import type { ModelAdapter } from "../model-adapter.ts";
import type { PixelFormat } from "../../model/video-chunk.ts";
import type { ControlSpecs, NoControls } from "./control-spec.ts";
import type { InputSpecs, NoInputs } from "./input-spec.ts";
import { readWorld } from "./read-world.ts";
import type { RequiresMap, WorldDefinition } from "./world-definition.ts";
import { worldMapping } from "./world-mapping.ts";
import { WorldRuntime } from "./world-runtime.ts";
import { describeVideo, describeWorld, worldSettings } from "./world-settings.ts";
import type { World } from "./world.ts";

/**
 * Makes an adapter from one declaration: what the model needs, what it is controlled by, how the one becomes the other, and the step.
 *
 * ```ts
 * export default defineWorld({
 *   id: "grey",
 *   video: { width: 64, height: 64, framesPerSecond: 20 },
 *   inputs: { step: { light: input.number({ min: 0, max: 1 }) } },
 *   controls: { drive: "driver_command" },
 *   map: ({ controls }) => ({ light: controls.drive.throttle }),
 *   step: ({ inputs, frames }) => ({ frames: frames.fill(255 * inputs.light) }),
 * });
 * ```
 *
 * The names and types of inputs, controls, products and state are checked by the compiler and again at run time. Functions come in the order
 * of the data: `load`, `dynamics`, `map`, `start`, `step`. Steps are transactions, and snapshots come for free, because the state is a
 * value. Throws `invalid_value` and `unknown_key` naming `World.…`.
 */
export function defineWorld<
  const Format extends PixelFormat = "rgb8",
  const Initial extends InputSpecs = NoInputs,
  const Step extends InputSpecs = NoInputs,
  const Controls extends ControlSpecs = NoControls,
  const OptionalControls extends ControlSpecs = NoControls,
  Options = Readonly<Record<never, never>>,
  Model = undefined,
  Dynamics = undefined,
  Products = unknown,
  State = undefined,
>(
  definition: WorldDefinition<
    Format,
    Initial,
    Step,
    Controls,
    OptionalControls,
    Options,
    Model,
    Dynamics,
    Products,
    State
  > &
    RequiresMap<Step>,
): ModelAdapter {
  const world = readWorld(definition);
  const mapping = worldMapping(world);
  if (typeof world.video !== "function") describeVideo(world, world.video);
  return Object.freeze<ModelAdapter>({
    modelId: world.id,
    version: world.version,
    modelInputSchema: world.inputs.schema,
    title: world.title,
    description: world.description,
    promptVocabulary: world.promptVocabulary,
    promptSuggestions: world.promptSuggestions,
    supports: world.supports,
    runtimeOptionsSchema: world.options,
    converters: worldConverters(world, mapping),
    defaultInputMapping: () => mapping,
    validateConfig: (config) => {
      describeWorld(world, worldSettings(world, config));
    },
    describe: (config) => describeWorld(world, worldSettings(world, config)),
    createRuntime: (config, options) => WorldRuntime.create(world, config, options),
  });
}

/** The world's own converters and the standard ones of what it consumes, except those that it replaces; absent without own ones. */
function worldConverters(world: World, mapping: InputMapping): readonly DeviceConverter[] | undefined {
  const own = world.converters;
  if (own === undefined) return undefined;
  const consumed = [...mapping.consumes, ...mapping.consumesOptional].map(({ name }) => name);
  const replaced = new Set(own.map(({ name }) => name));
  const standard = standardConverters().filter(
    ({ name, produces }) => consumed.includes(produces.name) && !replaced.has(name),
  );
  return Object.freeze([...own, ...standard]);
}
