import { faultLines } from "@dreamloop/onnx";
import type { ResolvedWorld } from "@dreamloop/node";
import { checkAdapter } from "../check/check-adapter.ts";
import { checkBundleFolder, type FolderCheck } from "../check/check-bundle-folder.ts";
import { describeDevices } from "../check/describe-devices.ts";
import { checkItem, type CheckItem, type CheckResult } from "../check/check-result.ts";
import { checkSessions, RUN_CHECK } from "../check/check-sessions.ts";
import { addReferenceOptions, referenceOrder, type ReferenceOrder } from "../check/reference-order.ts";
import { writeBundleReference } from "../check/write-bundle-reference.ts";
import { bundleFolderOf } from "../lookup/bundle-folder.ts";
import { findPlace, loadPlace } from "../lookup/find-world.ts";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliCommand, CliContext } from "../program/cli-command.ts";
import { settling } from "../program/exit-code-of.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import { startInputs } from "../run/start-inputs.ts";
import { givenFlags } from "../settings/given-flags.ts";
import { SESSION_SETTINGS, sessionSettings, settingLayers, type SessionSettings } from "../settings/run-settings.ts";
import { countOf, shellQuoted } from "../terminal/format.ts";
import type { Styles } from "../terminal/styles.ts";
import { addSpeechOptions, addWorldOptions } from "./options.ts";

const HELP = `
A bundle is checked in three phases: its manifest and graphs, without a large read; the hash of every file; and,
with --run, whether it loads, steps and shows its reference frames. A module is checked for its shape and, with --run, in short runs and
through the suites that every adapter has to pass. Ends with ${EXIT_CODES.failure} when something is wrong.

Examples:
  $ dreamloop check ./my-bundle
  $ dreamloop check ./my-bundle --run
  $ dreamloop check ./my-bundle --write-reference --with-environment
  $ dreamloop check ./my-world.js --run --set runtimeOptions.width=64
  $ dreamloop check probe --json
`;

/** `dreamloop check`: says everything that is wrong with a world. */
export const checkCommand: CliCommand = {
  describe: (command) => {
    command
      .argument("[world]", "the world or the folder of a bundle")
      .option("--run", "also load it and run a few steps");
    addReferenceOptions(command);
    addWorldOptions(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [worldArgument], options) => {
    const { host, terminal } = context;
    const flags = givenFlags(options, Object.values(SESSION_SETTINGS), worldArgument);
    const settings = settling(() => sessionSettings(settingLayers({ host, flags }), flags));
    const reference = referenceOrder(options);
    const place = findPlace(requireWorld(settings, "check"), { ...settings, cwd: host.cwd, env: host.env });
    context.interruption.world = place.argument;
    const result = await check(context, place, settings, { run: options.run === true, reference });
    if (terminal.mode.json) terminal.document(result);
    else terminal.result(describeCheck(result, terminal.resultStyles));
    return result.ok ? EXIT_CODES.ok : EXIT_CODES.failure;
  },
};

async function check(
  context: CliContext,
  place: ResolvedWorld,
  settings: SessionSettings,
  { run, reference }: { readonly run: boolean; readonly reference: ReferenceOrder | undefined },
): Promise<CheckResult> {
  const folder = bundleFolderOf(place);
  const { faults, checks, status } = await checkFolder(context, folder, {
    label: place.argument,
    run,
    reference,
    memoryBytes: settings.inference.runtimeOptions?.memoryBytes as number | undefined,
  });
  const items: CheckItem[] = [...checks];
  const hasFailed = (): boolean => items.some(({ outcome }) => outcome === "failed");
  if (!hasFailed()) items.push(...(await checkCode(context, { place, settings, run, suites: folder === undefined })));
  if (!run && !hasFailed()) items.push(notRun(place.argument));
  const devices = folder === undefined ? undefined : await (await import("@dreamloop/onnx/node")).probeDevices();
  return {
    type: "check",
    version: 1,
    world: place.argument,
    origin: place.origin,
    ok: faults.length === 0 && items.every(({ outcome }) => outcome !== "failed"),
    faults,
    checks: items,
    ...(devices === undefined ? {} : { devices }),
    ...(status === undefined ? {} : { status }),
  };
}

async function checkFolder(
  context: CliContext,
  folder: string | undefined,
  options: {
    readonly label: string;
    readonly run: boolean;
    readonly reference: ReferenceOrder | undefined;
    readonly memoryBytes: number | undefined;
  },
): Promise<FolderCheck> {
  const { label, reference } = options;
  if (folder === undefined) {
    if (reference === undefined) return { faults: [], checks: [] };
    throw usageError(`--write-reference: ${label} is code; only bundles have reference frames`);
  }
  if (reference === undefined) return checkBundleFolder(context, folder, options);
  const written = await writeBundleReference(context, folder, { ...reference, label });
  if (written.checks.some(({ outcome }) => outcome === "failed")) return written;
  const checked = await checkBundleFolder(context, folder, options);
  return { ...checked, checks: [...written.checks, ...checked.checks] };
}

interface CodeCheck {
  readonly place: ResolvedWorld;
  readonly settings: SessionSettings;
  readonly run: boolean;
  readonly suites: boolean;
}

async function checkCode(
  context: CliContext,
  { place, settings, run, suites }: CodeCheck,
): Promise<readonly CheckItem[]> {
  let world: FoundWorld | undefined;
  const loaded = await checkItem("its adapter loads", async () => {
    world = await loadPlace(place);
  });
  if (world === undefined) return [loaded];
  const { adapter } = world;
  const { initial } = await startInputs(adapter, { ...settings, world: place.argument }, context.host.cwd);
  const subject = { world, settings, initial };
  const items = [loaded, ...(await checkAdapter(subject))];
  const isReady = items.every(({ outcome }) => outcome === "passed");
  if (!run) return items;
  if (isReady) return [...items, ...(await checkSessions(context, subject, { suites }))];
  return [...items, { name: RUN_CHECK, outcome: "skipped", message: "see above" }];
}

/** What a check without `--run` leaves open, and how it is looked at. */
function notRun(world: string): CheckItem {
  return {
    name: RUN_CHECK,
    outcome: "skipped",
    message: `no step was run; dreamloop check ${shellQuoted(world)} --run does so`,
  };
}

/** The world that was named, or a refusal. */
function requireWorld({ world }: SessionSettings, command: string): string {
  if (world !== undefined) return world;
  throw usageError(`${command}: no world was named; dreamloop worlds lists them`);
}

function describeCheck(result: CheckResult, styles: Styles): string {
  const failed = result.checks.filter(({ outcome }) => outcome === "failed").length;
  const lines = result.checks.flatMap((item) => describeItem(item, styles));
  const faults = faultLines(result.faults).map((line) => `  ${line}`);
  const wasRun = result.checks.every(({ name, outcome }) => outcome !== "skipped" || name !== RUN_CHECK);
  const verdict = result.ok
    ? styles.good(`${result.world} is sound${wasRun ? "" : " as far as it was looked at: no step was run"}`)
    : styles.bad(`${result.world}: ${countOf(result.faults.length || failed, "fault")}`);
  const devices = describeDevices(result.devices ?? []).map((line) => `      ${line}`);
  return [...lines, ...faults, ...devices, verdict].join("\n");
}

function describeItem({ name, outcome, message }: CheckItem, styles: Styles): readonly string[] {
  const marks = { passed: styles.good("ok  "), failed: styles.bad("FAIL"), skipped: styles.warn("skip") };
  const line = `${marks[outcome]}  ${name}`;
  return message === undefined ? [line] : [line, ...message.split("\n").map((part) => `      ${part}`)];
}
