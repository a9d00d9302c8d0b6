/** Version of Dreamloop, as in the packages' manifests; recorded in traces and statistics. */
export const DREAMLOOP_VERSION = "0.1.0";
