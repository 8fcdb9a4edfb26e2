import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { errorCatalogue } from '../../src/platform/errors/error-catalogue.js';
import { readSources } from './source-files.js';

/** One place in the source that refuses with an error of the catalogue. */
export interface Thrower {
  place: string;
  codes: string[];
  facts: string[];
}

/** Makes errors for the documentation. */
const EXAMPLES = 'src/platform/errors/error-examples.ts';
const root = path.join(import.meta.dirname, '../..');

/** Source files of the server by path. */
export function sourceTexts(): Map<string, string> {
  const names = readSources('src')
    .map((file) => file.path)
    .filter((name) => !name.endsWith('.spec.ts'));
  return new Map(names.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

/** Every `new AppError(…)` and every `super(…)` of a class that extends it; what is only made to be shown or
 *  passed on is left out. */
export function throwersOf(texts: ReadonlyMap<string, string>): Thrower[] {
  return [...texts]
    .filter(([name]) => name !== EXAMPLES)
    .flatMap(([name, text]) => throwersIn(name, ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true)));
}

function throwersIn(name: string, source: ts.SourceFile): Thrower[] {
  const found: Thrower[] = [];
  const visit = (node: ts.Node): void => {
    const [code, details] = argumentsOf(node) ?? [];
    if (code) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${name}:${line + 1}`, codes: codesOf(code, source), facts: factsOf(details) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function argumentsOf(node: ts.Node): readonly ts.Expression[] | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === 'AppError')
    return isOnlyShown(node) || isPassedOn(node) ? undefined : node.arguments;
  const isSuper = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper && extendsAppError(node) ? node.arguments : undefined;
}

const isOnlyShown = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && node.parent.expression.getText() === 'toEnvelope';

/** The refusal of another process in its own code. */
const isPassedOn = (node: ts.NewExpression): boolean => /\.code$/.test(node.arguments?.[0]?.getText() ?? '');

function extendsAppError(node: ts.Node): boolean {
  for (let above: ts.Node = node; above; above = above.parent)
    if (ts.isClassDeclaration(above))
      return above.heritageClauses?.some((clause) => /\bAppError\b/.test(clause.getText())) ?? false;
  return false;
}

/** A literal, the two sides of a condition, or, where a table or function decides, every code the file answers. */
function codesOf(code: ts.Expression, source: ts.SourceFile): string[] {
  if (ts.isStringLiteral(code)) return [code.text];
  if (ts.isConditionalExpression(code)) return [...codesOf(code.whenTrue, source), ...codesOf(code.whenFalse, source)];
  const answered: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && node.text in errorCatalogue && isAnswer(node.parent)) answered.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return answered;
}

/** A value of a table or of a return, not the side of a comparison. */
const isAnswer = (parent: ts.Node): boolean =>
  ts.isPropertyAssignment(parent) || ts.isReturnStatement(parent) || ts.isConditionalExpression(parent);

function factsOf(details: ts.Expression | undefined): string[] {
  if (!details) return [];
  if (!ts.isObjectLiteralExpression(details)) throw new Error(`details are not written out: ${details.getText()}`);
  return details.properties.map((property) => property.name!.getText());
}
