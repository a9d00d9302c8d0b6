export * from "./drive/index.ts";
export * from "./probe/index.ts";
