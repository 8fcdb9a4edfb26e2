import { errorCatalogue, type ErrorCode, type ErrorRow } from '../../platform/errors/error-catalogue.js';
import { renderHint } from '../../platform/errors/hint.js';
import { ownHint } from '../own-words.js';
import type { Toolset } from '../tool.js';
import { loopRules, loopLines } from './loop-guide.js';
import type { PublishedTool, ToolEntry } from './published-tool.js';

/** A text from which a client learns how to use the server. */
export interface GuideResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: 'text/markdown';
  text: string;
}

/** The tools with their published descriptions. */
export function loopResource(
  toolset: Toolset,
  listed: readonly ToolEntry[],
  published: readonly PublishedTool[],
): GuideResource {
  return {
    uri: `taskyard://guide/${toolset.id}`,
    name: `guide-${toolset.id}`,
    title: `${toolset.title}: the loop`,
    description: 'The tools in the order you call them, with their fields and common mistakes.',
    mimeType: 'text/markdown',
    text: [
      `# ${toolset.title}`,
      '',
      toolset.introduction,
      '',
      '## The loop',
      '',
      ...loopLines(toolset, listed),
      '',
      '## Rules',
      '',
      ...loopRules(listed).map((rule) => `- ${rule}`),
      '',
      '## Tools',
      '',
      ...published.flatMap(({ name, description }) => [`### ${name}`, '', description.replaceAll('\n', '  \n'), '']),
    ].join('\n'),
  };
}

export function errorResource(toolset: Toolset): GuideResource {
  return {
    uri: 'taskyard://errors',
    name: 'errors',
    title: 'Error codes',
    description: 'Every error code, whether the call is retryable, and what to do next.',
    mimeType: 'text/markdown',
    text: errorTable(toolset),
  };
}

/** By status and code, whichever room states them. */
function errorTable(toolset: Toolset): string {
  const row = ([code, { status, retryable, message }]: [string, ErrorRow]) =>
    `| ${code} | ${status} | ${retryable ? 'yes' : 'no'} | ${message} | ${hintOf(code as ErrorCode, toolset)} |`;
  const keyOf = ([code, { status }]: [string, ErrorRow]) => `${status} ${code}`;
  return [
    '| code | HTTP | retryable | message | hint |',
    '|---|---|---|---|---|',
    ...Object.entries(errorCatalogue)
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .map(row),
    '',
  ].join('\n');
}

/** The hint with the tool names of the toolset; facts stay as placeholders. */
function hintOf(code: ErrorCode, toolset: Toolset): string {
  const hint = ownHint({ hintTemplate: errorCatalogue[code].hint }, toolset);
  const facts = (hint.match(/\{\w+\}/g) ?? []).map((placeholder): [string, string] => [
    placeholder.slice(1, -1),
    placeholder,
  ]);
  return renderHint(hint, Object.fromEntries(facts), toolset.operationNames);
}
