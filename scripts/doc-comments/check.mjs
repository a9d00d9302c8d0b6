import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { listWorkspaces } from "../workspace/packages.mjs";
import { membersOf } from "./members.mjs";

/**
 * Looks for doc comments on everything that the packages export from their `src/index.ts`.
 *
 * @param {string} root
 * @returns {string[]} one line for each gap: file, line and name
 */
export function docCommentGaps(root) {
  return listWorkspaces(root).flatMap(({ folder }) => {
    const index = join(folder, "src", "index.ts");
    return existsSync(index) ? gapsOfEntry(index, join(folder, "tsconfig.json"), root) : [];
  });
}

/**
 * @param {string} index full path of the file whose exports count
 * @param {string} tsconfig full path of the project's settings; without the file the defaults hold
 * @param {string} root paths are printed relative to it
 * @returns {string[]}
 */
export function gapsOfEntry(index, tsconfig, root) {
  const program = ts.createProgram({ rootNames: [index], options: compilerOptions(tsconfig) });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(index);
  const moduleSymbol = source && checker.getSymbolAtLocation(source);
  // A file without any export is a script, not a module, and so has no symbol.
  if (!moduleSymbol) return [];

  /** @type {Set<string>} */
  const gaps = new Set();
  /** @type {Set<ts.Symbol>} */
  const visited = new Set();
  const home = join(index, "..");
  /**
   * @param {ts.Symbol} exported
   * @param {string} name
   */
  const visit = (exported, name) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (visited.has(symbol)) return;
    visited.add(symbol);
    if (symbol.flags & ts.SymbolFlags.ValueModule) {
      for (const inner of checker.getExportsOfModule(symbol)) visit(inner, `${name}.${inner.name}`);
      return;
    }
    // What another package exports is checked there.
    const declarations = (symbol.declarations ?? []).filter((each) => isInside(home, each.getSourceFile().fileName));
    if (declarations.length === 0) return;
    note(symbol, declarations, name);
    for (const member of declarations.flatMap((declaration) => membersOf(declaration, name))) {
      const memberSymbol = checker.getSymbolAtLocation(member.node.name ?? member.node);
      if (memberSymbol) note(memberSymbol, [member.node], member.name);
    }
  };
  /**
   * @param {ts.Symbol} symbol
   * @param {readonly ts.Declaration[]} declarations
   * @param {string} name
   */
  const note = (symbol, declarations, name) => {
    // Asked of the checker, a member that carries out an interface or overrides a base class has its comment from there.
    if (symbol.getDocumentationComment(checker).some(({ text }) => text.trim() !== "")) return;
    const declaration = /** @type {ts.Declaration} */ (declarations[0]);
    const file = declaration.getSourceFile();
    const line = file.getLineAndCharacterOfPosition(declaration.getStart()).line + 1;
    gaps.add(`${relative(root, file.fileName).replaceAll("\\", "/")}:${line}: ${name} has no doc comment`);
  };
  for (const exported of checker.getExportsOfModule(moduleSymbol)) visit(exported, exported.name);
  return [...gaps];
}

/**
 * @param {string} home
 * @param {string} file
 */
function isInside(home, file) {
  const path = relative(home, file);
  return !path.startsWith("..") && !path.includes("node_modules");
}

/** @param {string} tsconfig */
function compilerOptions(tsconfig) {
  if (!existsSync(tsconfig)) return { target: ts.ScriptTarget.ES2022, allowImportingTsExtensions: true, noEmit: true };
  const { config } = ts.readConfigFile(tsconfig, (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(tsconfig, ".."));
  return { ...options, noEmit: true, composite: false, incremental: false, tsBuildInfoFile: undefined };
}
