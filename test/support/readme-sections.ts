import { toolDefinitionOf, type Toolset } from '../../src/mcp/tool.js';
import { variables } from '../../src/config/environment.js';
import { errorCatalogue } from '../../src/platform/errors/error-catalogue.js';
import { requiredLine } from '../../src/platform/fields/mode-notes.js';
import { toolsets } from '../../src/toolsets/toolsets.js';

/** What the README has between its markers, from the code. */
export function generatedSections(): Record<'tools' | 'errors' | 'settings', string> {
  return {
    tools: table(['tool', 'use when', 'required'], toolsets.flatMap(toolRows)),
    errors: table(
      ['HTTP', 'codes'],
      [...codesByStatus()].map(([status, codes]) => [String(status), codes.join(', ')]),
    ),
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
