import type { OpenAPIObject } from '@nestjs/swagger';
import { isForRuns, toolDefinitionOf, type ToolDefinition } from '../../src/mcp/tool.js';
import {
  grants,
  isAtLeast,
  type ProjectRole,
  type Right,
  rightOf,
  type Scope,
} from '../../src/platform/access/scopes.js';
import { type FieldNode, fieldsOf } from '../../src/platform/fields/field-node.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { operationsOf } from './api-rules.js';
import { offered } from './api-schema-rules.js';
import type { Json } from './mcp-client.js';

export type Ids = Record<
  'project_id' | 'task_id' | 'attempt_id' | 'session_id' | 'execution_process_id' | 'repo_id' | 'approval_id',
  string
>;

/** Who calls, with what decides what they may. */
export interface Caller {
  name: string;
  headers: Record<string, string>;
  /** Null: the credential is none. */
  scopes: readonly Scope[] | null;
  /** In the project that is asked for; null where it is not theirs. */
  role: ProjectRole | null;
  user_id?: string;
  isRun?: boolean;
  /** Names somebody else in X-User-Id, without act_as. */
  isImpostor?: boolean;
}

/** One way to do an operation. */
export interface Probe {
  name: string;
  /** What the table says of it. */
  key: string;
  method: string;
  url: (ids: Ids, caller: Caller) => string;
  body: (ids: Ids, caller: Caller) => unknown;
  /** It names a record of the project. */
  touches: boolean;
  namesUser: boolean;
  isForRuns: boolean;
  /** Others do not find it, whatever their rights. */
  isOnlyForRuns: boolean;
  isStream: boolean;
  /** What it takes away must not be missed by the next. */
  isDestructive: boolean;
}

/** What each operation asks for: null where any caller may. */
export type Table = ReadonlyMap<string, Right | null>;
export type Verdict = string;

const DESTRUCTIVE = /^(delete|start(Attempt|_task_attempt)|taskflow_delete)/;
const inProject = [
  'project_id',
  'task_id',
  'attempt_id',
  'attempt_ids',
  'session_id',
  'execution_process_id',
  'approval_id',
];

export function tableOf(document: OpenAPIObject): Table {
  const table = new Map<string, Right | null>();
  for (const { spec, path } of operationsOf(document)) {
    const [scope] = ((spec.security as Json[] | undefined)?.[0]?.bearer ?? []) as Scope[];
    if (path.startsWith('/api/'))
      table.set(
        spec.operationId as string,
        scope ? rightOf({ scope, role: spec['x-project-role'] as ProjectRole }) : null,
      );
  }
  for (const definition of toolsets.flatMap(({ tools }) => tools.map(toolDefinitionOf)))
    table.set(definition.name, rightOf(definition));
  return table;
}

/** Every route, and every tool over MCP and over REST. */
export function probesOf(document: OpenAPIObject): Probe[] {
  const tools = toolsets.flatMap(({ id, path, tools: all }) =>
    all.map(toolDefinitionOf).flatMap((definition) => [overMcp(path, definition), overRest(id, definition)]),
  );
  const routes = operationsOf(document).filter(
    ({ path, spec }) => path.startsWith('/api/') && spec.operationId !== 'callTool',
  );
  return [...routes.map((operation) => routeProbe(operation, document)), ...tools];
}

/** What a route asks for in its query. */
const queryOf = (spec: Json): string =>
  ((spec.parameters ?? []) as Json[])
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `?${name}=${name === 'path' ? 'web/hello.txt' : 'hello'}`)
    .join('');

function routeProbe({ name, path, method, spec }: ReturnType<typeof operationsOf>[number], document: OpenAPIObject) {
  const content = spec.requestBody?.content?.['application/json'] as Json | undefined;
  const sample = content ? offered(content, document.components!.schemas as Json) : {};
  const { parent_task_id: _, always: _always, ...example } = sample as Json; // a task of nowhere; more rights
  const key = spec.operationId as string;
  return {
    ...{ name, key, method: method.toUpperCase() },
    url: (ids: Ids) => path.replace(/\{(\w+)\}/g, (_, field: string) => idFor(field, ids)) + queryOf(spec),
    // nobody may pass on more than they have
    body: (__: Ids, { scopes }: Caller) =>
      key === 'createToken' ? { name: 'x', scopes: scopes?.slice(0, 1) } : content && example,
    touches: inProject.some((field) => path.includes(`{${field}}`)),
    ...{ namesUser: false, isForRuns: false, isOnlyForRuns: false },
    isStream: /\/(events|stream)$/.test(path),
    isDestructive: DESTRUCTIVE.test(key),
  };
}

const idFor = (field: string, ids: Ids): string =>
  field in ids ? ids[field as keyof Ids] : field === 'toolset' ? 'kanban' : '0198c0de-0000-7000-8000-00000000dead';

const ofTool = (definition: ToolDefinition) => ({
  key: definition.name,
  method: 'POST',
  touches:
    definition.needsAttempt === true ||
    Object.keys(argumentsFor(definition, {} as Ids, 'x')).some((name) => [...inProject, 'id'].includes(name)),
  namesUser: fieldsOf(definition.input).has('user_id'),
  isOnlyForRuns: definition.onlyForRuns === true,
  isStream: false,
  isDestructive: DESTRUCTIVE.test(definition.name),
});

function overMcp(path: string, definition: ToolDefinition): Probe {
  return {
    ...ofTool(definition),
    name: `${definition.name} over ${path}`,
    url: ({ attempt_id }, { isRun }) => (isRun || definition.needsAttempt ? `${path}?attempt_id=${attempt_id}` : path),
    body: (ids, { user_id = 'owner-user' }) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: definition.name, arguments: argumentsFor(definition, ids, user_id) },
    }),
    isForRuns: path === '/mcp' && isForRuns(definition, 'own'),
  };
}

function overRest(toolset: string, definition: ToolDefinition): Probe {
  return {
    ...ofTool(definition),
    name: `${definition.name} over /api/toolsets/${toolset}`,
    url: ({ attempt_id }) =>
      `/api/toolsets/${toolset}/tools/${definition.name}${definition.needsAttempt ? `?attempt_id=${attempt_id}` : ''}`,
    body: (ids, { user_id = 'owner-user' }) => argumentsFor(definition, ids, user_id),
    isForRuns: false,
  };
}

/** What has to be given, and of targets one that is there. */
function argumentsFor({ name, input }: ToolDefinition, ids: Ids, user_id: string): Record<string, unknown> {
  const fields = fieldsOf(input);
  const required = [...fields].filter(([, { optional }]) => !optional);
  const args = Object.fromEntries(required.map(([field, node]) => [field, valueFor(field, node, ids)]));
  if (fields.has('session_id') && fields.has('attempt_id')) args.attempt_id = ids.attempt_id;
  if (name === 'task_create') args.project_id = ids.project_id;
  if (name === 'follow_up') args.action = 'cancel';
  if (name === 'merge_pull_request') args.expected_head = 'a'.repeat(40);
  if (name === 'taskflow_update_task') args.title = 'x';
  if (name === 'taskflow_assign_task') args.assignee_handle = '@member-user';
  return fields.has('user_id') ? { ...args, user_id } : args;
}

function valueFor(field: string, node: FieldNode, ids: Ids): unknown {
  if (field === 'id') return ids.task_id;
  if (field.endsWith('_id') && node.kind === 'uuid') return ids[field as keyof Ids] ?? idFor(field, ids);
  if (field === 'task_id') return ids.task_id;
  if (field === 'attempt_ids') return [ids.attempt_id];
  const values = { list: ['x'], object: {}, record: {}, int: node.minimum ?? 1, bool: true, text: 'x' };
  return node.example ?? node.values?.[0] ?? values[node.kind as keyof typeof values] ?? '2030-01-01T00:00:00.000Z';
}

/** What the table says that the caller is answered. */
export function expectedOf(caller: Caller, probe: Probe, table: Table): Verdict {
  const right = table.get(probe.key) ?? null;
  const url = probe.url({} as Ids, caller);
  return (
    refusedAtTheDoor(caller, probe, url) ??
    (caller.isImpostor ? 'act_as_required' : null) ??
    refusedForScope(caller, right) ??
    refusedForName(caller, probe) ??
    (probe.touches && right !== null ? refusedInProject(caller, right) : null) ??
    'allowed'
  );
}

function refusedAtTheDoor({ scopes, isRun }: Caller, { isForRuns: isOpen }: Probe, url: string): Verdict | null {
  if (scopes === null || (isRun && !url.startsWith('/mcp?'))) return 'unauthenticated';
  return isRun && !isOpen ? 'forbidden' : null;
}

function refusedForScope(caller: Caller, right: Right | null): Verdict | null {
  const missing = right && missingFrom(caller.scopes ?? [], right, caller);
  return missing && `insufficient_scope ${missing}`;
}

function refusedForName({ user_id, scopes }: Caller, { namesUser }: Probe): Verdict | null {
  return namesUser && user_id === undefined && !scopes?.includes('act_as') ? 'act_as_required' : null;
}

function refusedInProject({ role }: Caller, right: Right): Verdict | null {
  if (role === null) return 'hidden';
  if (!grants(role, right.scope)) return `insufficient_scope ${right.scope}`;
  return isAtLeast(role, right.role) ? null : 'forbidden';
}

function missingFrom(scopes: readonly Scope[], right: Right, { user_id }: Caller): Scope | null {
  if (!scopes.includes(right.scope)) return right.scope;
  const isBeyond = right.role !== rightOf({ scope: right.scope }).role;
  return isBeyond && user_id === undefined && !scopes.includes('admin') ? 'admin' : null;
}

/** What the caller was answered, in whichever dialect. */
export function verdictOf(text: string): Verdict {
  const [, scope] = /The scope (\w+) is missing/.exec(text) ?? [];
  if (scope) return `insufficient_scope ${scope}`;
  if (text.includes('A valid bearer token is required')) return 'unauthenticated';
  if (/only an? \w+ of the project|a run may not/.test(text)) return 'forbidden';
  if (text.includes('Only a caller with the scope act_as')) return 'act_as_required';
  const nothing = /The (project|task|attempt|session|execution|approval) was not found|(Task|Project) not found/;
  return nothing.test(text) || /Project [\w-]+ was not found/.test(text) ? 'hidden' : 'allowed';
}
