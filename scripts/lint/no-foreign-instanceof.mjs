/**
 * Forbids `instanceof` with a class of another package: a second copy of that package, or one that was loaded with
 * `require`, has another class of the same name (guarantee H4).
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export const noForeignInstanceof = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      foreign:
        "{{name}} comes from {{from}}, which may be loaded twice; recognise it by a function such as isDreamloopError.",
    },
  },
  create(context) {
    return {
      'BinaryExpression[operator="instanceof"] > Identifier.right'(/** @type {import("estree").Identifier} */ node) {
        const scope = context.sourceCode.getScope(node);
        const reference = scope.references.find(({ identifier }) => identifier === node);
        const definition = reference?.resolved?.defs.find(({ type }) => type === "ImportBinding");
        const from = definition?.parent?.type === "ImportDeclaration" ? definition.parent.source.value : undefined;
        if (typeof from === "string" && from.startsWith("@dreamloop/")) {
          context.report({ node, messageId: "foreign", data: { name: node.name, from } });
        }
      },
    };
  },
};
