import { checkerOf } from '../../config/checked-file.js';

/** An agent somebody added without code, as it stands in the file. */
export interface ExecutorDeclaration {
  id: string;
  command: string;
  protocol: 'acp' | 'plain';
  args?: string[];
  env?: Record<string, string>;
  variants?: Record<string, VariantDeclaration>;
  resume?: boolean;
  mcp?: boolean;
  /** Folders, absolute or below the home folder, that it may write. */
  state?: string[];
}
export interface VariantDeclaration {
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
    state: list,
  },
  required: ['id', 'command', 'protocol'],
  additionalProperties: false,
  must: 'must be an object',
};

/** Nothing is known of the output of a plain program: it is no more than a command. */
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
export const checkedDeclarations = (file: unknown): ExecutorDeclaration[] => check(file).executors;
