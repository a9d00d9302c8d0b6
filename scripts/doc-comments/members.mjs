import ts from "typescript";

/**
 * A part of an exported declaration that needs a comment of its own.
 *
 * @typedef {{ node: ts.NamedDeclaration, name: string }} Member
 */

/**
 * Lists the parts of a declaration that a reader of the API sees: enum members, fields and methods of interfaces, type
 * literals and classes, and the entries of `as const` objects.
 *
 * @param {ts.Declaration} declaration
 * @param {string} name how messages call the declaration
 * @returns {Member[]}
 */
export function membersOf(declaration, name) {
  if (ts.isInterfaceDeclaration(declaration)) return typeMembers(declaration.members, name);
  if (ts.isTypeAliasDeclaration(declaration)) return literalMembers(declaration.type, name);
  if (ts.isEnumDeclaration(declaration)) return named(declaration.members, name);
  if (ts.isClassDeclaration(declaration)) return classMembers(declaration, name);
  if (ts.isVariableDeclaration(declaration)) return constantMembers(declaration.initializer, name);
  return [];
}

/**
 * @param {readonly ts.TypeElement[]} elements
 * @param {string} name
 * @returns {Member[]}
 */
function typeMembers(elements, name) {
  const fields = named(elements, name);
  const nested = elements.filter(ts.isPropertySignature).flatMap((element) => {
    return element.type && ts.isIdentifier(element.name)
      ? literalMembers(element.type, `${name}.${element.name.text}`)
      : [];
  });
  return [...fields, ...nested];
}

/**
 * Fields of the type literals inside a type: `{…}`, unions and intersections of them, arrays of them, `Readonly<{…}>`.
 *
 * @param {ts.TypeNode} type
 * @param {string} name
 * @returns {Member[]}
 */
function literalMembers(type, name) {
  if (ts.isTypeLiteralNode(type)) return typeMembers([...type.members], name);
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) {
    return type.types.flatMap((each) => literalMembers(each, name));
  }
  if (ts.isParenthesizedTypeNode(type) || ts.isTypeOperatorNode(type)) return literalMembers(type.type, name);
  if (ts.isArrayTypeNode(type)) return literalMembers(type.elementType, name);
  if (ts.isTypeReferenceNode(type)) return (type.typeArguments ?? []).flatMap((each) => literalMembers(each, name));
  return [];
}

/**
 * @param {ts.ClassDeclaration} declaration
 * @param {string} name
 * @returns {Member[]}
 */
function classMembers(declaration, name) {
  const parameters = declaration.members.filter(ts.isConstructorDeclaration).flatMap((each) => [...each.parameters]);
  const properties = parameters.filter(
    (each) => ts.isParameterPropertyDeclaration(each, each.parent) && isPublic(each),
  );
  return [...named(properties, name), ...named(declaration.members.filter(isPublic), name)];
}

/**
 * @param {ts.Expression | undefined} initializer
 * @param {string} name
 * @returns {Member[]}
 */
function constantMembers(initializer, name) {
  const object = initializer && constObject(initializer);
  return object ? named(object.properties, name) : [];
}

/**
 * Finds the object in `{…} as const`, also under `satisfies`, brackets and `Object.freeze(…)`.
 *
 * @param {ts.Expression} expression
 * @returns {ts.ObjectLiteralExpression | undefined}
 */
function constObject(expression) {
  if (ts.isAsExpression(expression)) {
    const isConst = ts.isConstTypeReference(expression.type);
    return isConst && ts.isObjectLiteralExpression(expression.expression) ? expression.expression : undefined;
  }
  if (ts.isSatisfiesExpression(expression) || ts.isParenthesizedExpression(expression)) {
    return constObject(expression.expression);
  }
  if (ts.isCallExpression(expression) && expression.expression.getText() === "Object.freeze") {
    return expression.arguments[0] && constObject(expression.arguments[0]);
  }
  return undefined;
}

/**
 * Keeps what has a plain name: index and call signatures have none, and `[Symbol.asyncDispose]` explains itself.
 *
 * @param {readonly ts.NamedDeclaration[]} nodes
 * @param {string} name
 * @returns {Member[]}
 */
function named(nodes, name) {
  return nodes.flatMap((node) => {
    const label = node.name;
    if (!label || !(ts.isIdentifier(label) || ts.isStringLiteral(label) || ts.isNumericLiteral(label))) return [];
    return [{ node, name: `${name}.${label.text}` }];
  });
}

/** @param {ts.Declaration} member */
function isPublic(member) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(member) & hidden) === 0;
}
