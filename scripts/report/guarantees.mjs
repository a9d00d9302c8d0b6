/**
 * @typedef {import("./vitest-report.mjs").Report} Report
 *
 * @typedef {object} Guarantee
 * @property {string} id letter of the chapter and number, for example `A3`
 * @property {string} text its first sentence
 *
 * @typedef {object} Citation
 * @property {string} id
 * @property {string} title the citing test's title
 * @property {string} file full path
 */

/**
 * Reads the promises from the page: chapters are bold lines such as `**A. Input**`, whatever their letter, and promises are numbered items below
 * them.
 *
 * @param {string} page
 * @returns {Guarantee[]} in the order of the page
 */
export function readGuarantees(page) {
  /** @type {Guarantee[]} */
  const guarantees = [];
  let chapter = "";
  for (const line of page.split("\n")) {
    chapter = /^\*\*([A-Z])\. /.exec(line)?.[1] ?? chapter;
    const [, number, text] = /^(\d+)\. (.*)$/.exec(line) ?? [];
    if (chapter === "" || number === undefined || text === undefined) continue;
    guarantees.push({ id: chapter + number, text: text.split(/(?<=\.) /)[0] ?? text });
  }
  return guarantees;
}

/**
 * Finds which promises tests prove. A test cites them at the start of its title, or of the title of a group around it:
 * `A3: …` or `A3, B1: …`.
 *
 * @param {readonly Guarantee[]} guarantees
 * @param {Report | undefined} report
 * @returns {{ proofs: Map<string, Citation[]>, failures: Citation[], unknown: Citation[] }} a promise is proved when a test
 *   that cites it passed and none failed; `unknown` holds citations of numbers that are not on the page
 */
export function citedGuarantees(guarantees, report) {
  const known = new Set(guarantees.map(({ id }) => id));
  /** @type {Map<string, Citation[]>} */
  const proofs = new Map();
  const failures = [];
  const unknown = [];
  for (const { name: file, assertionResults } of report?.testResults ?? []) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const ids = new Set([...ancestorTitles, title].flatMap((each) => idsAtStart(each)));
      for (const id of ids) {
        const citation = { id, title, file };
        if (!known.has(id)) unknown.push(citation);
        else if (status === "failed") failures.push(citation);
        else if (status === "passed") proofs.set(id, [...(proofs.get(id) ?? []), citation]);
      }
    }
  }
  for (const { id } of failures) proofs.delete(id);
  return { proofs, failures, unknown };
}

/**
 * Finds the citations in the text of a test or of a conformance suite: strings that begin with numbers, wherever they are. What a title is at
 * run time, and whether the test passes, only a run can say.
 *
 * @param {string} file how the result names it
 * @param {string} text
 * @returns {Citation[]} in the order of the text
 */
export function citationsInText(file, text) {
  const strings = text.matchAll(/(["'`])([A-Z]\d{1,2}(?:, ?[A-Z]\d{1,2})*: (?:\\.|(?!\1)[^\\\n])*)\1/g);
  return [...strings].flatMap(([, , title = ""]) => idsAtStart(title).map((id) => ({ id, title, file })));
}

/** @param {string} title */
function idsAtStart(title) {
  return /^([A-Z]\d{1,2}(?:, ?[A-Z]\d{1,2})*): /.exec(title)?.[1]?.split(/, ?/) ?? [];
}
