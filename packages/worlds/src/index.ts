export * from "./drive/index.ts";
