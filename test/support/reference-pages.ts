import type { OpenAPIObject } from '@nestjs/swagger';
import { type ProjectRole, rightOf, type Scope, SCOPES } from '../../src/platform/access/scopes.js';
import { toolDefinitionOf, type Toolset } from '../../src/mcp/tool.js';
import { errorResource } from '../../src/mcp/catalogue/guide-resources.js';
import { kanbanToolset } from '../../src/toolsets/kanban/kanban.toolset.js';
import { operationsOf } from './api-rules.js';
import { tokenBars, toolTokens } from './token-bars.js';
import { variables } from '../../src/config/variables.js';
import { agentAdapters } from '../../src/executors/agent-adapters.js';
import { type AgentState, agentStates } from '../../src/executors/agent-state.js';
import { demoProfile } from '../../src/executors/demo/demo-profile.js';
import { ProgramFinder } from '../../src/executors/find-program.js';
import { requiredLine } from '../../src/platform/fields/mode-rules.js';
import { toolsets } from '../../src/toolsets/toolsets.js';

/** What `docs/reference/` holds, from the code: page → text. */
export function referencePages(
  document: OpenAPIObject,
): Record<'tools' | 'tokens' | 'rights' | 'errors' | 'settings' | 'agents', string> {
  return {
    tools: page('Tools', TOOLS, table(['tool', 'use when', 'required'], toolsets.flatMap(toolRows))),
    tokens: page('Tokens', TOKENS, table(['what', 'tokens', 'at most'], tokenRows())),
    rights: page('Who may do what', RIGHTS, table(['scope', 'role', 'REST operations', 'tools'], rightRows(document))),
    errors: page('Errors', ERRORS, errorTable()),
    agents: page('State of agents', AGENTS, table(STATE_COLUMNS, stateRows())),
    settings: page('Settings', SETTINGS, table(['variable', 'default', 'meaning'], settingRows())),
  };
}

const TOOLS = `What each MCP endpoint offers, in the order of work. Over REST each tool is
\`POST /api/toolsets/{toolset}/tools/{name}\`.`;
const TOKENS = `What a model reads before its first call, in tokens of o200k: name, description and input schema of
each tool, and the instructions of the server. Below, each tool of \`/mcp\`.`;
const RIGHTS = `\
Each call has one credential. A token has scopes; in a project with members the caller's role must bring the
scope too, and without members every worker counts as \`member\`. What a caller may not see is not found; what it sees
but may not do is \`insufficient_scope\`. \`X-User-Id\` and \`user_id\` name somebody else only with \`act_as\`; the
audit log then has both.`;
const ERRORS = `\
Every refusal is \`{code, message, retryable, hint, details}\`. The same call may succeed later only if it is
retryable. The tools in the hints are those of \`POST /mcp\`; other dialects and REST name their own.`;
const AGENTS = `\
Behind walls each attempt has folders of its own in the place of those below the home folder. Files of log-in and
settings are copied in before each turn; what is bound can be read only. Nothing goes back but the keys named here,
where a run renewed its log-in and the file in the home folder is still what was copied. Transcripts lie in the first
folder, or as named.`;
const STATE_COLUMNS = ['executor', 'own of each attempt', 'copied in', 'bound read-only', 'goes back', 'transcripts'];
const SETTINGS = 'Settings are environment variables. `NAME_FILE` reads the value of `NAME` from a file.';

const page = (title: string, introduction: string, text: string): string =>
  `# ${title}\n\n<!-- Generated: npm run accept -->\n\n${introduction}\n\n${text}`;

const toolRows = ({ path, tools }: Toolset): string[][] => [
  [`**\`POST ${path}\`**`, '', ''],
  ...tools.map(toolDefinitionOf).map(({ name, input, guide }) => [`\`${name}\``, guide.useWhen, requiredLine(input)]),
];

const tokenRows = (): string[][] => [
  ...tokenBars.map((row) => row.map(String)),
  ...toolTokens().map(([tool, tokens]) => [tool, String(tokens), '']),
];

const settingRows = (): string[][] =>
  Object.entries(variables).map(([name, { default: preset, meaning }]) => [
    `\`${name}\``,
    preset && `\`${preset}\``,
    meaning,
  ]);

function stateRows(): string[][] {
  const adapters = agentAdapters(new ProgramFinder({}, () => Promise.resolve(null)), demoProfile('/', null), []);
  const transcripts = (executor: string) =>
    adapters.find(({ info }) => info.executor === executor)?.sessionFile?.('ID', '/WORKTREE')?.path;
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  return Object.entries<AgentState>(agentStates).map(([executor, { own, copied = [], bound = [], back = {} }]) => [
    `\`${executor}\``,
    code(own),
    code(copied),
    code(bound),
    Object.entries(back)
      .map(([file, keys]) => `${code([file])}: ${code(keys)}`)
      .join(' '),
    code([transcripts(executor) ?? []].flat()),
  ]);
}

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

/** As agents of the board's toolset read it, by status. */
function errorTable(): string {
  return errorResource(kanbanToolset).text.replace(/^\| (\w+_\w+|forbidden|unauthenticated) /gm, '| `$1` ');
}

function table(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return line(heads) + line(heads.map(() => '---')) + rows.map(line).join('');
}
