import ts from "typescript";

/**
 * One module that a file refers to.
 *
 * @typedef {object} Import
 * @property {string} specifier as written
 * @property {number} line counted from 1
 * @property {boolean} typeOnly true when nothing of it remains after compilation
 */

/**
 * Lists what a source file imports: static and dynamic imports, re-exports, `require`, and types by `import("…")`.
 *
 * @param {string} fileName decides how the text is parsed
 * @param {string} text
 * @returns {Import[]} in the order of the text
 */
export function readImports(fileName, text) {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  /** @type {Import[]} */
  const imports = [];
  /**
   * @param {ts.Node | undefined} specifier
   * @param {boolean} typeOnly
   */
  const add = (specifier, typeOnly) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const line = source.getLineAndCharacterOfPosition(specifier.getStart()).line + 1;
    imports.push({ specifier: specifier.text, line, typeOnly });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
      add(node.moduleReference.expression, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && isModuleCall(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return imports;
}

/** @param {ts.Expression} callee */
function isModuleCall(callee) {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}
