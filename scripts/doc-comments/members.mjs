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
  const nested = elements.filter(ts.isPropertySignature).flatMap((element) => {
    return element.type && ts.isIdentifier(element.name)
      ? innerLiteralMembers(element.type, `${name}.${element.name.text}`)
      : [];
  });
  return [...named(elements, name), ...nested];
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
  if (ts.isUnionTypeNode(type)) return type.types.flatMap((each) => variantMembers(each, name));
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap((each) => literalMembers(each, name));
  if (ts.isParenthesizedTypeNode(type) || ts.isTypeOperatorNode(type)) return literalMembers(type.type, name);
  if (ts.isArrayTypeNode(type)) return innerLiteralMembers(type.elementType, name);
  if (ts.isTypeReferenceNode(type)) return (type.typeArguments ?? []).flatMap((each) => literalMembers(each, name));
  return [];
}

/**
 * Fields of one member of a union, without the one that tells it from the others: what that means is said of the member.
 *
 * @param {ts.TypeNode} type
 * @param {string} name
 */
function variantMembers(type, name) {
  return innerLiteralMembers(type, name).filter(({ node }) => {
    return !(ts.isPropertySignature(node) && node.type && ts.isLiteralTypeNode(node.type));
  });
}

/**
 * Fields of literals inside other types. One that is written on a single line is described by the comment above that line.
 *
 * @param {ts.TypeNode} type
 * @param {string} name
 */
function innerLiteralMembers(type, name) {
  return literalMembers(type, name).filter(({ node: { parent } }) => {
    return !ts.isTypeLiteralNode(parent) || parent.getText().includes("\n");
  });
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
