import { readFileSync } from 'node:fs';
import { checkerOf } from '../../config/checked-file.js';
import { EnvironmentError } from '../../config/environment.js';
import { parseHostRule } from '../../platform/network/host-rule.js';
import { type Taken, taken } from '../executor.js';
import type { AgentState } from '../agent-state.js';

/** An agent somebody added without code, as it stands in the file. */
interface ExecutorDeclaration {
  id: string;
  command: string;
  protocol: 'acp' | 'plain';
  args?: string[];
  env?: Record<string, string>;
  variants?: Record<string, VariantDeclaration>;
  resume?: boolean;
  mcp?: boolean;
  /** Folders, absolute or below the home folder, of which each attempt has its own. */
  state?: string[];
  /** What it reads of the home folder: files in its state are copied in, all else is bound read-only. Folders end in
   *  `/`. */
  reads?: string[];
  /** Folders that all runs of it write. */
  shared?: string[];
  /** Host rules of its model: the preset `model`. */
  model_hosts?: string[];
  /** What its prompt is; `script` only for a plain program. */
  takes?: Taken;
}
interface VariantDeclaration {
  args?: string[];
  env?: Record<string, string>;
  /** Mode of the session to set before the prompt. */
  mode?: string;
  permissions?: 'allow' | 'ask' | 'refuse';
}

const NAME = '^[A-Z][A-Z0-9_]{0,63}$';
const text = { type: 'string', must: 'must be a text' };
const flag = { type: 'boolean', must: 'must be true or false' };
const list = { type: 'array', items: text, must: 'must be a list of texts' };
/** No path leads up, and none is the home folder itself. */
const place = { type: 'string', pattern: '^(?!(.*/)?\\.\\.?(/|$)|/*$)', must: 'must be a path without . and ..' };
const places = { type: 'array', items: place, must: 'must be a list of paths' };
const pairs = { type: 'object', additionalProperties: text, must: 'must be an object of texts' };
const variant = {
  type: 'object',
  properties: { args: list, env: pairs, mode: text, permissions: { enum: ['allow', 'ask', 'refuse'] } },
  additionalProperties: false,
  must: 'must be an object',
};
const executor = {
  type: 'object',
  properties: {
    id: { type: 'string', pattern: NAME, must: 'must be in capitals, such as MY_AGENT' },
    command: { type: 'string', pattern: '\\S', must: 'must name a program' },
    args: list,
    env: pairs,
    protocol: { enum: ['acp', 'plain'] },
    variants: {
      type: 'object',
      propertyNames: { pattern: NAME, must: 'must be named in capitals, such as PLAN' },
      additionalProperties: variant,
      must: 'must be an object of variants by name',
    },
    resume: flag,
    mcp: flag,
    state: places,
    reads: places,
    shared: places,
    model_hosts: list,
    takes: { enum: [...taken] },
  },
  required: ['id', 'command', 'protocol'],
  additionalProperties: false,
  must: 'must be an object',
};

/** A plain program is only a command: nothing is known about its output. */
const impossible = { not: {}, must: 'needs the protocol acp' };
const isPlain = { type: 'object', properties: { protocol: { const: 'plain' } }, required: ['protocol'] };
const plainLimits = {
  properties: {
    resume: { enum: [false], must: impossible.must },
    mcp: { enum: [false], must: impossible.must },
    variants: { additionalProperties: { properties: { mode: impossible, permissions: impossible } } },
  },
};

const schema = {
  type: 'object',
  properties: {
    executors: {
      type: 'array',
      items: { ...executor, if: isPlain, then: plainLimits },
      must: 'must be a list',
    },
  },
  required: ['executors'],
  must: 'must be an object such as {"executors": []}',
};

const check = checkerOf<{ executors: ExecutorDeclaration[] }>(schema);

/** @throws Error of one line that names the first wrong place */
const checkedDeclarations = (file: unknown): ExecutorDeclaration[] => check(file).executors;

/** An agent somebody added without code; what the file leaves out is filled in. DEFAULT is one of its variants. */
export interface DeclaredExecutor extends Required<Omit<ExecutorDeclaration, 'state' | 'reads' | 'shared'>> {
  state: AgentState;
  variants: Record<string, DeclaredVariant>;
}
type DeclaredVariant = VariantDeclaration & Required<Pick<VariantDeclaration, 'args' | 'env'>>;

/** How to install what EXECUTORS_FILE declares. */
export const DECLARED_IN = 'see executors.json';

/** The agents of EXECUTORS_FILE; none where it is not set.
 *  @throws EnvironmentError of one line, which stops the start */
export function readDeclaredExecutors(file: string, taken: readonly string[]): DeclaredExecutor[] {
  if (file === '') return [];
  try {
    return declaredExecutors(JSON.parse(readFileSync(file, 'utf8')), taken);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EnvironmentError(`EXECUTORS_FILE="${file}" cannot be used: ${reason}`);
  }
}

/** @param file the content of executors.json: `{"executors": [{"id", "command", "protocol", …}]}`
 *  @param taken ids of the executors that are built in
 *  @throws Error of one line that names the place */
export function declaredExecutors(file: unknown, taken: readonly string[] = []): DeclaredExecutor[] {
  try {
    const declared = checkedDeclarations(file).map(completed);
    refuseTwins(declared, taken);
    declared.forEach(requireHosts);
    return declared;
  } catch (error) {
    throw new Error(`executors.json: ${(error as Error).message}`);
  }
}

function completed({
  protocol,
  args,
  env,
  variants,
  resume,
  mcp,
  state = [],
  reads = [],
  shared = [],
  model_hosts = [],
  takes = 'prompt',
  ...rest
}: ExecutorDeclaration): DeclaredExecutor {
  const settings = Object.entries(variants ?? {}).map(([name, one]) => [name, { args: [], env: {}, ...one }] as const);
  return {
    ...rest,
    protocol,
    args: args ?? [],
    env: env ?? {},
    variants: { DEFAULT: { args: [], env: {} }, ...Object.fromEntries(settings) },
    resume: resume ?? protocol === 'acp',
    mcp: mcp ?? protocol === 'acp',
    model_hosts,
    takes,
    state: stateOf(state.map(asFolder), reads, shared.map(asFolder)),
  };
}

/** A host that is none would be left out without a word. */
function requireHosts({ id, model_hosts }: DeclaredExecutor): void {
  const wrong = model_hosts.find((host) => parseHostRule(host) === null);
  if (wrong !== undefined) throw new Error(`${id}: "${wrong}" is not host, *.host or host:port`);
}

function stateOf(own: string[], reads: readonly string[], shared: string[]): AgentState {
  const isCopied = (name: string) => !name.endsWith('/') && own.some((folder) => name.startsWith(folder));
  return { own, copied: reads.filter(isCopied), bound: reads.filter((name) => !isCopied(name)), shared };
}

const asFolder = (name: string): string => (name.endsWith('/') ? name : `${name}/`);

function refuseTwins(declared: readonly DeclaredExecutor[], taken: readonly string[]): void {
  const seen = new Set(taken);
  declared.forEach(({ id }, index) => {
    if (seen.has(id)) throw new Error(`executors[${index}].id ${id} is there already`);
    seen.add(id);
  });
}
