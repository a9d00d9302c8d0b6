export { DreamloopProvider, usePlay } from "./play-context.tsx";
export type { DreamloopProviderProps, PlayConnection } from "./play-context.tsx";
export { DreamloopView } from "./dreamloop-view.tsx";
export type { DreamloopViewProps } from "./dreamloop-view.tsx";
export { useKeyLabels, usePlayTimeline, usePlayEvent, usePlayState, usePlayStats } from "./hooks.ts";
