/**
 * Called by the install script of onnxruntime-node before it looks at its settings. Without a setting that script downloads
 * CUDA libraries, which nothing here needs; with this one `npm ci` takes everything from the registry, in every release of npm.
 */
exports.bootstrap = () => {
  process.env.ONNXRUNTIME_NODE_INSTALL ??= "skip";
};
