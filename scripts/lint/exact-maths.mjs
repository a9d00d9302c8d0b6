/** The functions of `Math` whose results the standard fixes to the last bit, and its constants. */
const EXACT = new Set([
  ...["abs", "ceil", "clz32", "floor", "fround", "imul", "max", "min", "round", "sign", "sqrt", "trunc"],
  ...["E", "LN10", "LN2", "LOG10E", "LOG2E", "PI", "SQRT1_2", "SQRT2"],
]);

/**
 * Allows only that part of `Math` that gives the same bits in every engine; `**` is `Math.pow` in other clothes.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export const exactMaths = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      inexact: "{{name}} differs between engines (guarantee G2); use the project's own exact maths.",
      hidden: "Math may be used only as Math.name here, so that this rule sees which function is meant (guarantee G2).",
    },
  },
  create(context) {
    return {
      Identifier(node) {
        if (node.name !== "Math" || !context.sourceCode.isGlobalReference(node)) return;
        const { parent } = node;
        const name = parent.type === "MemberExpression" && parent.object === node ? memberName(parent) : undefined;
        if (name === undefined) context.report({ node, messageId: "hidden" });
        else if (!EXACT.has(name))
          context.report({ node: parent, messageId: "inexact", data: { name: `Math.${name}` } });
      },
      'BinaryExpression[operator="**"], AssignmentExpression[operator="**="]'(
        /** @type {import("estree").Node} */ node,
      ) {
        context.report({ node, messageId: "inexact", data: { name: "The operator **" } });
      },
    };
  },
};

/** @param {import("estree").MemberExpression} node */
function memberName({ computed, property }) {
  if (property.type === "Identifier" && !computed) return property.name;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined;
}
