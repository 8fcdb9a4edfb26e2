import { AppError } from '../../platform/errors/app-error.js';
import { errorCatalogue, type ErrorCode, type ErrorRow } from '../../platform/errors/error-catalogue.js';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import type { Toolset } from '../tool.js';
import { loopRules, loopLines } from './loop-guide.js';
import type { ToolEntry } from './published-tool.js';
import { toolDescription } from './tool-description.js';

/** A text from which a client learns how to use the server. */
export interface GuideResource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: 'text/markdown';
  text: string;
}

export function guideResources(toolset: Toolset, listed: readonly ToolEntry[]): GuideResource[] {
  return [
    {
      uri: `taskyard://guide/${toolset.id}`,
      name: `guide-${toolset.id}`,
      title: `${toolset.title}: the loop`,
      description: 'The tools in the order you call them, with their fields and common mistakes.',
      mimeType: 'text/markdown',
      text: guideText(toolset, listed),
    },
    {
      uri: 'taskyard://errors',
      name: 'errors',
      title: 'Error codes',
      description: 'Every error code, whether the call is retryable, and what to do next.',
      mimeType: 'text/markdown',
      text: errorTable(toolset),
    },
  ];
}

function guideText(toolset: Toolset, listed: readonly ToolEntry[]): string {
  return [
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
    ...listed.flatMap(({ definition }) => [
      `### ${definition.name}`,
      '',
      toolDescription(definition).replaceAll('\n', '  \n'),
      '',
    ]),
  ].join('\n');
}

function errorTable(toolset: Toolset): string {
  const row = ([code, { status, retryable, message }]: [string, ErrorRow]) =>
    `| ${code} | ${status} | ${retryable ? 'yes' : 'no'} | ${message} | ${hintOf(code as ErrorCode, toolset)} |`;
  return [
    '| code | HTTP | retryable | message | hint |',
    '|---|---|---|---|---|',
    ...Object.entries(errorCatalogue).map(row),
    '',
  ].join('\n');
}

/** The hint with the tool names of the toolset; facts stay as placeholders. */
function hintOf(code: ErrorCode, toolset: Toolset): string {
  const facts = [...errorCatalogue[code].hint.matchAll(/\{(\w+)\}/g)].map(
    ([placeholder, name = '']): [string, string] => [name, placeholder],
  );
  return toEnvelope(new AppError(code, Object.fromEntries(facts)), toolset.operationNames).hint;
}
