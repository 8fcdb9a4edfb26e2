import type { OpenAPIObject } from '@nestjs/swagger';
import { ToolsetCatalogue } from '../../src/mcp/catalogue/toolset-catalogue.js';
import type { PublishedTool } from '../../src/mcp/catalogue/published-tool.js';
import type { Toolset } from '../../src/mcp/tool.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { operationsOf } from './api-rules.js';
import type { Json } from './mcp-client.js';

/** What a call is aimed at, by the name of the parameter or field. */
export type Target = Readonly<Record<string, unknown>>;
export interface RouteAttack {
  name: string;
  method: string;
  /** Names of the parts of the path, in order. */
  parameters: string[];
  path: (target: Target) => string;
  body: (target: Target) => Json | undefined;
}

export interface ToolAttack {
  name: string;
  toolset: string;
  tool: string;
  args: (target: Target) => Json;
}

/** What the documented fields are filled with that name nothing. */
const fillings: Target = {
  title: 'taken over',
  description: 'taken over',
  prompt: 'taken over',
  content: 'taken over',
  agent_id: 'mallory',
  executor: 'SHELL',
  paths: ['web/readme.md'],
  path: 'web/readme.md',
  percent: 5,
  handle: '@mallory',
  assignee_handle: '@mallory',
  type: 'plan',
  patch: { title: 'taken over' },
  overwrite: { remote_commit: 'a'.repeat(40) },
  comment_ids: ['0198c0de-0000-7000-8000-00000000dead'],
};

/** Every route of the document under /api. */
export function routeAttacks(document: OpenAPIObject): RouteAttack[] {
  return operationsOf(document)
    .filter(({ path }) => path.startsWith('/api/'))
    .flatMap(({ name, path, method, spec }) =>
      bodiesOf(document, spec).map((fields, at, { length }) => ({
        name: length > 1 ? `${name} #${at + 1}` : name,
        method: method.toUpperCase(),
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field!),
        path: (target) => path.replace(/\{(\w+)\}/g, (_, field: string) => String(target[field])) + queryOf(spec),
        body: (target) => fields && filled(fields, target),
      })),
    );
}

/** Every tool that the toolsets publish, in each of its modes, and with each of its optional ids. */
export const toolAttacks: ToolAttack[] = toolsets.flatMap((toolset) =>
  publishedOf(toolset).flatMap(({ name: tool, inputSchema }) =>
    callsOf(inputSchema).map((fields, at, { length }) => ({
      name: `${toolset.id} ${tool}${length > 1 ? ` #${at + 1}` : ''}`,
      toolset: toolset.id,
      tool,
      args: (target) => filled(fields, target),
    })),
  ),
);

/** With those that need an endpoint bound to an attempt, but in the words of one that is not. */
function publishedOf(toolset: Toolset): PublishedTool[] {
  const catalogue = new ToolsetCatalogue(toolset);
  const [plain, bound] = [false, true].map(
    (isBound) => catalogue.view({ profile: 'portable', readonly: false, bound: isBound }).published,
  ) as [readonly PublishedTool[], readonly PublishedTool[]];
  return bound.map((tool) => plain.find(({ name }) => name === tool.name) ?? tool);
}

/** A call: its fields with their schemas. */
type Fields = Record<string, Json>;

function queryOf(spec: Json): string {
  const needed = ((spec.parameters ?? []) as Json[]).filter((one) => one.in === 'query' && one.required);
  return needed.length === 0
    ? ''
    : `?${needed.map(({ name }) => `${name}=${String(fillings[name as string])}`).join('&')}`;
}

function bodiesOf(document: OpenAPIObject, spec: Json): (Fields | undefined)[] {
  const content = spec.requestBody?.content?.['application/json'] as Json | undefined;
  if (content === undefined) return [undefined];
  return branchesOf(document, content.schema as Json).flatMap(callsOf);
}

/** A schema that is one of several is each of them in turn. */
function branchesOf(document: OpenAPIObject, { $ref, oneOf, anyOf: any = oneOf, ...schema }: Json): Json[] {
  if ($ref) return branchesOf(document, document.components!.schemas![String($ref).replace(/.*\//, '')] as Json);
  return any ? (any as Json[]).flatMap((branch) => branchesOf(document, branch)) : [schema];
}

/** One call for each branch, and where there is none one for each optional id. */
function callsOf({ properties = {}, required = [], then }: Json): Fields[] {
  const all = properties as Fields;
  const branches = (then?.oneOf ?? []) as Json[];
  const texts = Object.keys(fillings).filter((name) => name in all && branches.length === 0);
  const base = [...(required as string[]), ...texts];
  const ids = Object.keys(all).filter((name) => name.endsWith('_id') && !base.includes(name));
  const calls: [string[], Fields][] =
    branches.length > 0
      ? branches.map((branch) => [
          [...base, ...((branch.required ?? []) as string[])],
          (branch.properties ?? {}) as Fields,
        ])
      : [[base, {}], ...ids.map((id): [string[], Fields] => [[...base, id], {}])];
  return calls.map(([names, narrowed]) =>
    Object.fromEntries([...new Set(names)].map((name) => [name, { ...all[name], ...narrowed[name] }])),
  );
}

const idOf = (name: string): string => (name === 'parent_task_id' ? 'task_id' : name);

const filled = (fields: Fields, target: Target): Json =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      name === 'attempt_ids' ? [target.attempt_id] : (target[idOf(name)] ?? fillings[name] ?? anyOf(schema)),
    ]),
  );

/** A value that the schema accepts. */
function anyOf({ type, enum: words, items }: Json): unknown {
  if (words) return (words as unknown[])[0];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [anyOf((items ?? {}) as Json)];
  return type === 'object' ? {} : 'x';
}
