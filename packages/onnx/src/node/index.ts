export { folderFiles } from "./folder-files.ts";
export { checkBundle, loadBundle } from "./load-bundle.ts";
export type { LoadBundleOptions } from "./load-bundle.ts";
export { MAX_DEFAULT_THREADS, nodeEngine } from "./node-engine.ts";
export type { NodeEngineOptions } from "./node-engine.ts";
export { contentFiles, sha256Hex, writeContents } from "./bundle-contents.ts";
export { writeReference } from "./write-reference.ts";
export type { WriteReferenceOptions, WrittenReference } from "./write-reference.ts";
