export { assertDistinctStreams, type RandomStreamAddress } from "./stream-address.ts";
export { randomStream, type RandomStream, type RandomTarget } from "./random-stream.ts";
