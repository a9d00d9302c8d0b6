// Time
export { eventLoopTurn } from "./clock/event-loop-turn.ts";
export { DEFAULT_ADVANCE_LIMIT_SECONDS, FakeClock } from "./clock/fake-clock.ts";
export type { AdvanceUntilOptions } from "./clock/fake-clock.ts";
// Fakes
export { FAILURE_POINTS, FailurePlan } from "./fakes/failure-plan.ts";
export type { FailurePoint, PlannedFailure } from "./fakes/failure-plan.ts";
export { FakeInputSource } from "./fakes/fake-input-source.ts";
export type { FakeInputSourceOptions } from "./fakes/fake-input-source.ts";
export { fakeWorld } from "./fakes/fake-world.ts";
export type { FakeWorld, FakeWorldCounts, FakeWorldOptions } from "./fakes/fake-world.ts";
export { RecordingTarget } from "./fakes/recording-target.ts";
export type { RecordedResult, RecordingTargetOptions } from "./fakes/recording-target.ts";
