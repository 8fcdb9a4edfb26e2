import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export interface SourceImport {
  /** As written: a package, a `node:` module, or a relative path. */
  specifier: string;
  /** The file it names, from the project's root, for relative paths. */
  target?: string;
  /** The names taken from it, as the module exports them. */
  names: string[];
}

export interface SourceFile {
  path: string;
  text: string;
  lines: number;
  imports: SourceImport[];
  readsEnvironment: boolean;
}

const root = path.join(import.meta.dirname, '../..');

/** Every source below these folders of the project, parsed. */
export function readSources(...folders: string[]): SourceFile[] {
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return names
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('/generated/'))
    .sort()
    .map((name) => parseSource(name, readFileSync(path.join(root, name), 'utf8')))
    .map((file, _, files) => ({ ...file, imports: file.imports.map((one) => ofWhatIsThere(one, files)) }));
}

/** A component is imported by the same ending as every other module. */
function ofWhatIsThere(one: SourceImport, files: readonly SourceFile[]): SourceImport {
  const component = one.target?.replace(/\.ts$/, '.tsx');
  return files.some(({ path: name }) => name === component) ? { ...one, target: component } : one;
}

export function parseSource(name: string, text: string): SourceFile {
  const lines = text.split('\n').length - 1;
  const file: SourceFile = { path: name, text, lines, imports: [], readsEnvironment: false };
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined)
      file.imports.push({ specifier, target: targetOf(name, specifier), names: namesOf(node) });
    if (isEnvironment(node)) file.readsEnvironment = true;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true));
  file.readsEnvironment ||= file.imports.some((one) => /^(node:)?process$/.test(one.specifier));
  return file;
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
    return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]!);
  return undefined;
}

function textOf(node: ts.Node): string | undefined {
  return ts.isStringLiteralLike(node) ? node.text : undefined;
}

function targetOf(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

function namesOf(node: ts.Node): string[] {
  const bindings = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node)
      ? node.exportClause
      : undefined;
  if (!bindings || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return [];
  return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
}

/** `process.env`, `process['env']` and `const { env } = process`. */
function isEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env';
  if (ts.isElementAccessExpression(node))
    return isProcess(node.expression) && textOf(node.argumentExpression) === 'env';
  return (
    ts.isVariableDeclaration(node) &&
    ts.isObjectBindingPattern(node.name) &&
    node.initializer !== undefined &&
    isProcess(node.initializer)
  );
}

function isProcess(node: ts.Node): boolean {
  return ts.isIdentifier(node) && node.text === 'process';
}
