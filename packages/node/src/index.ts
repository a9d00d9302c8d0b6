// Time, hashes and facts
export { environmentFacts } from "./environment-facts.ts";
export type { EnvironmentFactsOptions } from "./environment-facts.ts";
export { ProcessClock } from "./process-clock.ts";
export { sha256FrameHasher } from "./sha256-hasher.ts";
