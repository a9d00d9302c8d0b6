import { describeError, expectContract, outcomeOf, type ConformanceCase } from "./conformance-case.ts";

/** A suite made for something broken, and the case that has to reject it. */
export interface BrokenSubject {
  /** What is broken, for the title. */
  readonly fault: string;
  /** Title of the case that finds it. */
  readonly rejectedBy: string;
  /** What the message of the rejection has to say. */
  readonly message: RegExp;
  /** The suite of the broken thing. */
  readonly cases: readonly ConformanceCase[];
}

/**
 * Proves that a suite can fail: one case for each broken thing, and one that says that every case of the suite rejects at least one.
 * Whoever adds a case to a suite adds something broken here.
 */
export function rejectionCases(
  suite: readonly ConformanceCase[],
  broken: readonly BrokenSubject[],
): readonly ConformanceCase[] {
  const proofs = broken.map(({ fault, rejectedBy, message, cases }) => ({
    name: `rejects ${fault}`,
    run: async () => {
      const found = cases.find(({ name }) => name === rejectedBy);
      const titles = cases.map(({ name }) => name).join(" | ");
      expectContract(found !== undefined, `the suite has the case ${JSON.stringify(rejectedBy)}`, titles);
      const outcome = await outcomeOf(found.run);
      expectContract(outcome !== undefined, `${JSON.stringify(rejectedBy)} rejects ${fault}`, "it passed");
      const said = describeError(outcome.error);
      expectContract(message.test(said), `the rejection says ${message}`, said);
    },
  }));
  const everyCase: ConformanceCase = {
    name: "every case is shown to reject something",
    run: async () => {
      const proved = new Set(broken.map(({ rejectedBy }) => rejectedBy));
      const without = suite.map(({ name }) => name).filter((name) => !proved.has(name));
      expectContract(without.length === 0, "every case rejects something broken", `none for ${without.join(" | ")}`);
    },
  };
  return [...proofs, everyCase];
}
