import type { OpenAPIObject } from '@nestjs/swagger';
import { type ProjectRole, rightOf, type Scope, SCOPES } from '../../src/platform/access/scopes.js';
import { toolDefinitionOf, type Toolset } from '../../src/mcp/tool.js';
import { operationsOf } from './api-rules.js';
import { variables } from '../../src/config/environment.js';
import { errorCatalogue } from '../../src/platform/errors/error-catalogue.js';
import { requiredLine } from '../../src/platform/fields/mode-notes.js';
import { toolsets } from '../../src/toolsets/toolsets.js';

/** What the README has between its markers, from the code. */
export function generatedSections(document: OpenAPIObject): Record<'tools' | 'errors' | 'settings' | 'rights', string> {
  return {
    tools: table(['tool', 'use when', 'required'], toolsets.flatMap(toolRows)),
    errors: table(
      ['HTTP', 'codes'],
      [...codesByStatus()].map(([status, codes]) => [String(status), codes.join(', ')]),
    ),
    rights: table(['scope', 'role', 'REST operations', 'tools'], rightRows(document)),
    settings: table(
      ['variable', 'default', 'meaning'],
      Object.entries(variables).map(([name, variable]) => [
        `\`${name}\``,
        variable.default && `\`${variable.default}\``,
        variable.meaning,
      ]),
    ),
  };
}

/** The text with each section put between `<!-- name -->` and `<!-- /name -->`. @throws where a marker is missing */
export function withSections(text: string, sections: Record<string, string>): string {
  return Object.entries(sections).reduce((whole, [name, section]) => {
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const from = whole.indexOf(open);
    const to = whole.indexOf(close, from);
    if (from < 0 || to < 0) throw new Error(`README.md has no place for "${name}": write ${open.trim()} and ${close}`);
    return whole.slice(0, from + open.length) + section + whole.slice(to);
  }, text);
}

const toolRows = ({ path, tools }: Toolset): string[][] => [
  [`**\`POST ${path}\`**`, '', ''],
  ...tools.map(toolDefinitionOf).map(({ name, input, guide }) => [`\`${name}\``, guide.useWhen, requiredLine(input)]),
];

interface OperationRight {
  operationId: string;
  security?: { bearer?: Scope[] }[];
  'x-project-role'?: ProjectRole;
}

/** What each scope allows, with the least role that brings it; a role that an operation asks for beyond has a row of
 *  its own. */
function rightRows(document: OpenAPIObject): string[][] {
  const rows = new Map<string, { operations: string[]; tools: string[] }>();
  const rowOf = (scope: Scope, role?: ProjectRole) => {
    const right = rightOf({ scope, role });
    const key = `${right.scope} ${right.role}`;
    rows.set(key, rows.get(key) ?? { operations: [], tools: [] });
    return rows.get(key)!;
  };
  for (const scope of SCOPES) rowOf(scope);
  for (const { spec } of operationsOf(document)) {
    const { operationId, security, 'x-project-role': role } = spec as OperationRight;
    const scope = security?.[0]?.bearer?.[0];
    if (scope) rowOf(scope, role).operations.push(`\`${operationId}\``);
  }
  for (const { name, scope, role } of toolsets.flatMap(({ tools }) => tools.map(toolDefinitionOf)))
    rowOf(scope, role).tools.push(`\`${name}\``);
  return [...rows].map(([key, { operations, tools }]) => [
    ...key.split(' ').map((word) => `\`${word}\``),
    operations.join(', '),
    tools.join(', '),
  ]);
}

/** Retryable ones with a star. */
function codesByStatus(): Map<number, string[]> {
  const rows = Object.entries(errorCatalogue).sort(([, a], [, b]) => a.status - b.status);
  const byStatus = new Map<number, string[]>();
  for (const [code, { status, retryable }] of rows)
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`${retryable ? '*' : ''}`]);
  return byStatus;
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return line(heads) + line(heads.map(() => '---')) + rows.map(line).join('');
}
