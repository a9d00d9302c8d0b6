// Time
export { eventLoopTurn } from "@dreamloop/core/internal";
export { DEFAULT_ADVANCE_LIMIT_SECONDS, FakeClock } from "./clock/fake-clock.ts";
export type { AdvanceUntilOptions } from "./clock/fake-clock.ts";
// Fakes
export { changedWorld, changeResults, overriding } from "./fakes/changed-world.ts";
export type { WorldChanges } from "./fakes/changed-world.ts";
export { FAILURE_POINTS, FailurePlan } from "./fakes/failure-plan.ts";
export type { FailurePoint, PlannedFailure } from "./fakes/failure-plan.ts";
export { FakeInputSource } from "./fakes/fake-input-source.ts";
export type { FakeInputSourceOptions } from "./fakes/fake-input-source.ts";
export { fakeWorld } from "./fakes/fake-world.ts";
export type { FakeWorld, FakeWorldCounts, FakeWorldOptions } from "./fakes/fake-world.ts";
export { RecordingTarget } from "./fakes/recording-target.ts";
export type { RecordedResult, RecordingTargetOptions } from "./fakes/recording-target.ts";
// Conformance
export { adapterConformance } from "./conformance/adapter-conformance.ts";
export { registerCases } from "./conformance/conformance-case.ts";
export type { ConformanceCase, RegisterTest } from "./conformance/conformance-case.ts";
export { converterConformance } from "./conformance/converter-conformance.ts";
export type { ConverterConformanceOptions } from "./conformance/converter-conformance.ts";
export { outputTargetConformance } from "./conformance/output-target-conformance.ts";
export type { OutputTargetConformanceOptions } from "./conformance/output-target-conformance.ts";
export { rejectionCases } from "./conformance/rejection-cases.ts";
export type { BrokenSubject } from "./conformance/rejection-cases.ts";
export { sessionConformance } from "./conformance/session-conformance.ts";
export type { SessionConformanceOptions } from "./conformance/session-conformance.ts";
export { DEFAULT_CONFORMANCE_STEPS } from "./conformance/world-under-test.ts";
export type { WorldConformanceOptions } from "./conformance/world-under-test.ts";
// Test card
export { deltaE2000, labOfRgb } from "./test-card/color-difference.ts";
export type { LabColor } from "./test-card/color-difference.ts";
export { compareTestCard, TEST_CARD_LIMITS } from "./test-card/compare-test-card.ts";
export type {
  CardPicture,
  CheckerComparison,
  RampComparison,
  TestCardComparison,
} from "./test-card/compare-test-card.ts";
export { testCardLayout } from "./test-card/test-card-layout.ts";
export type { BarcodeArea, CardArea, TestCardLayout } from "./test-card/test-card-layout.ts";
export { TEST_CARD_BACKGROUND, TEST_CARD_COLORS, testCard } from "./test-card/test-card.ts";
export type { TestCard, TestCardOptions } from "./test-card/test-card.ts";
