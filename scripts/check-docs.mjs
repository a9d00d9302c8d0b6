import { docCommentGaps } from "./doc-comments/check.mjs";
import { ROOT } from "./setup/run.mjs";

const gaps = docCommentGaps(ROOT);
gaps.forEach((gap) => console.error(gap));
if (gaps.length > 0) {
  console.error(`${gaps.length} ${gaps.length === 1 ? "doc comment is" : "doc comments are"} missing`);
  process.exitCode = 1;
}
