#!/usr/bin/env node
// This file has to parse on old releases of Node, so that they can be told apart from the ones that work.

const parts = process.versions.node.split(".").map(Number);

if (parts[0] < 20 || (parts[0] === 20 && parts[1] < 19)) {
  console.error("dreamloop needs Node 20.19 or newer, and this is Node " + process.versions.node + ".");
  process.exitCode = 1;
} else {
  import("../dist/cli.js").catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
