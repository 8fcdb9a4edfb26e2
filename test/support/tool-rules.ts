import { schemaProfiles } from '../../src/platform/fields/schema-profiles.js';
import { modeTableViolations } from './mode-table-rules.js';
import { descriptionHeadings, entriesOf, publishTool, type ToolEntry } from '../../src/mcp/catalogue/published-tool.js';
import { combinators, conditionals, schemaViolations } from './schema-rules.js';
import { serverInstructions } from '../../src/mcp/catalogue/loop-guide.js';
import type { Toolset } from '../../src/mcp/tool.js';

/** Claude Code truncates descriptions and instructions beyond this. */
const MAX_TEXT_BYTES = 2048;

const inputRules = {
  portable: { nowhere: [], notAtRoot: combinators },
  oneof: { nowhere: [], notAtRoot: conditionals },
  flat: { nowhere: [...combinators, ...conditionals], notAtRoot: [] },
};

/** Every rule for tools that a toolset breaks, one line each. */
export function toolRuleViolations(toolset: Toolset): string[] {
  const entries = entriesOf(toolset);
  const names = entries.map(({ definition }) => definition.name);
  return [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name}: the name is used twice`),
    ...toolset.loop.filter((name) => !names.includes(name)).map((name) => `loop: ${name} is no tool`),
    ...tooLong('instructions', serverInstructions(toolset, entries)),
    ...entries.flatMap((entry) =>
      toolViolations(entry, toolset, names)
        .filter((violation) => !isFreeTextId(toolset, violation))
        .map((violation) => `${entry.definition.name}: ${violation}`),
    ),
  ];
}

/** A dialect may accept ids of other systems. */
const isFreeTextId = ({ freeTextIds = [] }: Toolset, violation: string): boolean =>
  freeTextIds.some((name) => violation.endsWith(`/${name} is not a UUID`));

function toolViolations({ tool, definition }: ToolEntry, toolset: Toolset, names: string[]): string[] {
  const published = schemaProfiles.map((profile) => ({
    profile,
    ...publishTool(definition, toolset, { profile, bound: false, hasForge: true }),
  }));
  const { description, annotations, outputSchema } = publishTool(definition, toolset, {
    profile: 'portable',
    bound: false,
    hasForge: true,
  });
  const lines = description.split('\n');
  const className = `${definition.name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Tool`;
  return [
    ...(/^[a-z][a-z0-9_]{0,63}$/.test(definition.name) ? [] : ['the name is not snake_case of at most 64 characters']),
    ...(tool.name === className ? [] : [`the class is ${tool.name}, not ${className}`]),
    ...(lines.length === descriptionHeadings.length ? [] : ['the description is not five lines']),
    ...descriptionHeadings
      .filter((heading, index) => !new RegExp(`^${heading} \\S`).test(lines[index] ?? ''))
      .map((heading) => `the description lacks "${heading}"`),
    ...(definition.guide.next.split(/\W+/).some((word) => names.includes(word))
      ? []
      : ['next names no tool of the toolset']),
    ...(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const)
      .filter((hint) => typeof annotations[hint] !== 'boolean')
      .map((hint) => `${hint} is not explicit`),
    ...tooLong('the description', description),
    ...modeTableViolations(definition.input),
    ...published.flatMap(({ profile, inputSchema }) =>
      schemaViolations(inputSchema, inputRules[profile]).map((violation) => `${profile} input: ${violation}`),
    ),
    ...published
      .filter(({ inputSchema }) => inputSchema.additionalProperties !== false)
      .map(({ profile }) => `${profile} input: the root is open`),
    ...schemaViolations(outputSchema, { nowhere: ['oneOf', 'allOf', 'not'], notAtRoot: combinators }).map(
      (violation) => `output: ${violation}`,
    ),
  ];
}

const tooLong = (what: string, text: string): string[] =>
  Buffer.byteLength(text) > MAX_TEXT_BYTES ? [`${what} is longer than ${MAX_TEXT_BYTES} bytes`] : [];
