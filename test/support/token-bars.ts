import { ToolsetCatalogue, type ViewChoice } from '../../src/mcp/catalogue/toolset-catalogue.js';
import { kanbanToolset } from '../../src/toolsets/kanban/kanban.toolset.js';
import { taskflowToolset } from '../../src/toolsets/taskflow/taskflow.toolset.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { tokensOf, tokensOfTools } from './tokens.js';

const kanban = new ToolsetCatalogue(kanbanToolset);
const taskflow = new ToolsetCatalogue(taskflowToolset);
const plain: ViewChoice = { profile: 'portable', readonly: false, bound: false };
const withForge = kanban.view({ ...plain, hasForge: true });

/** What a client shows its model before the first call, in tokens of o200k, and the most that it may be. */
export const tokenBars: [what: string, tokens: number, atMost: number][] = [
  ['`/mcp`, with a forge', tokensOfTools(withForge), 6_000],
  ['`/mcp`', tokensOfTools(kanban.view(plain)), 5_200],
  ['`/mcp?schema=flat`', tokensOfTools(kanban.view({ ...plain, profile: 'flat' })), 5_300],
  ['`/mcp/taskflow`', tokensOfTools(taskflow.view(plain)), 1_900],
  ...toolsets.map((toolset): [string, number, number] => [
    `instructions of \`${toolset.path}\``,
    tokensOf(new ToolsetCatalogue(toolset).view({ ...plain, hasForge: true }).instructions),
    300,
  ]),
];

/** Each tool of `/mcp`. */
export const toolTokens = (): [tool: string, tokens: number][] =>
  withForge.published.map((tool) => [`\`${tool.name}\``, tokensOfTools({ published: [tool] })]);
