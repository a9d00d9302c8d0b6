/** Names that every engine has although the language standard does not: no clock, timer, screen, process or console. */
const UNIVERSAL = new Set([
  "AbortController",
  "AbortSignal",
  "DOMException",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "queueMicrotask",
  "structuredClone",
]);

/** Declarations that belong to one environment; what the language itself declares lies in other files. */
const ENVIRONMENT_FILE = /[\\/](lib\.(dom|webworker|scripthost)[^\\/]*\.d\.ts$|node_modules[\\/]@types[\\/]node[\\/])/;

/** React's types declare empty stand-ins for the browser's elements, in every program that they are part of. */
const STAND_IN_FILE = /[\\/]node_modules[\\/]@types[\\/]react[\\/]/;

/**
 * Forbids values and types that only a browser or only Node provides, and the ambient clock.
 *
 * Names are judged by where they are declared, which needs type information but no list of everything a browser has.
 *
 * @type {import("eslint").Rule.RuleModule}
 */
export const universalGlobals = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      environment: "{{name}} belongs to a browser or to Node; this package runs in both, so it has to be handed in.",
      clock: "{{name}} reads the machine's clock; take the time from the clock that is handed in.",
    },
  },
  create(context) {
    /** @type {import("@typescript-eslint/utils").ParserServicesWithTypeInformation} */
    const services = context.sourceCode.parserServices;
    return {
      'MemberExpression[object.name="globalThis"] > Identifier.property'(
        /** @type {import("estree").Identifier} */ identifier,
      ) {
        const { name } = identifier;
        if (UNIVERSAL.has(name) || !isOfEnvironment(services, identifier)) return;
        context.report({ node: identifier, messageId: "environment", data: { name } });
      },
      "Program:exit"(node) {
        const scope = context.sourceCode.getScope(node);
        const ambient = [...scope.set.values()].filter(({ defs }) => defs.length === 0);
        const references = [...scope.through, ...ambient.flatMap((variable) => variable.references)];
        for (const identifier of new Set(references.map((reference) => reference.identifier))) {
          const { name } = identifier;
          if (name === "Date") context.report({ node: identifier, messageId: "clock", data: { name } });
          else if (!UNIVERSAL.has(name) && isOfEnvironment(services, identifier)) {
            context.report({ node: identifier, messageId: "environment", data: { name } });
          }
        }
      },
    };
  },
};

/**
 * @param {import("@typescript-eslint/utils").ParserServicesWithTypeInformation} services
 * @param {import("estree").Identifier | import("eslint").JSXIdentifier} identifier
 */
function isOfEnvironment(services, identifier) {
  const symbol = services.getSymbolAtLocation(/** @type {never} */ (identifier));
  const files = symbol?.declarations?.map((declaration) => declaration.getSourceFile().fileName) ?? [];
  const own = files.filter((file) => !STAND_IN_FILE.test(file));
  return files.length > 0 && own.every((file) => ENVIRONMENT_FILE.test(file));
}
