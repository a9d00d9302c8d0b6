export { philox4x32, type PhiloxCounter, type PhiloxKey } from "./philox.ts";
export {
  assertDistinctStreams,
  MAX_SEED,
  MAX_STREAM_NAME_LENGTH,
  MAX_STREAM_NUMBER,
  MAX_SUB_STEP,
  streamNumber,
  type RandomStreamAddress,
} from "./stream-address.ts";
export { RANDOM_STREAM_WORDS, randomStream, type RandomStream, type RandomTarget } from "./random-stream.ts";
