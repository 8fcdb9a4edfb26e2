import { type Hinted, type Lead, leadsOf, leadTo, neededOf, renderHint, repeatedOf } from '../platform/errors/hint.js';
import type { Wording } from '../platform/errors/wording.js';
import { type Class, fieldsOf } from '../platform/fields/field-node.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { isIgnored, isRecord } from '../platform/fields/normalise.js';
import { toolDefinitionOf, type Toolset } from './tool.js';

/** As it came, whatever its arguments are. */
export interface AnsweredCall {
  tool: string;
  arguments: unknown;
  /** The arguments with an id of the right kind. */
  right?: Record<string, unknown> | undefined;
}

/** A tool call. */
interface NextCall {
  tool: string;
  arguments: Record<string, unknown>;
}

const MAX_REPEATED = 500;

/** The call that an answer leads to: an operation of its hint, with what is known of its arguments; where an id is
 *  unknown, the one that yields it.
 *  @returns undefined where the dialect has none that can be called as it is */
export function nextCall(
  { hintTemplate, details }: Hinted,
  toolset: Toolset,
  answered: AnsweredCall,
): NextCall | undefined {
  const given = isRecord(answered.arguments) ? answered.arguments : {};
  const inputs = new Map(toolset.tools.map(toolDefinitionOf).map(({ name, input }) => [name, input]));
  const ids = { ...idsOf(given), ...idsOf(details) };
  const callOf = (lead: Lead): (NextCall & { input: Class }) | undefined => {
    const tool = toolset.operationNames(lead.operation);
    const input = inputs.get(tool);
    if (input === undefined) return undefined;
    const known = tool === answered.tool ? repeatedOf(given, details) : ids;
    return { tool, input, arguments: { ...takenBy(input, known), ...neededOf(lead, details), ...lead.arguments } };
  };
  const climb = (lead: Lead): NextCall | undefined => {
    const call = callOf(lead);
    if (call === undefined) return undefined;
    const { tool, input, arguments: args } = call;
    if (takes(input, args)) return { tool, arguments: args };
    const missing = [...fieldsOf(input)].find(([name, { optional }]) => !optional && args[name] === undefined);
    if (missing === undefined) return undefined;
    const [source] = leadTo(missing[0]);
    return source ? climb(source) : { tool, arguments: args }; // what lacks are words of the caller
  };
  const again = inputs.get(answered.tool) && repeated(inputs.get(answered.tool)!, answered, given);
  if (again) return { tool: answered.tool, arguments: again };
  const said = { ...given, ...details };
  for (const lead of leadsOf(hintTemplate)) {
    if (lead.needs.some((name) => (said[name] ?? '') === '')) continue;
    const found = climb(lead);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The same call, where only an id was of the wrong kind, or an argument had a wrong name. */
function repeated(input: Class, { right }: AnsweredCall, given: Record<string, unknown>) {
  const args = right ?? renamed(input, given);
  const safe = args && takenBy(input, repeatedOf(args, {}));
  return safe && Object.keys(safe).length > 0 && takes(input, safe) ? safe : undefined;
}

/** @returns undefined unless one argument is unknown, and one that is not given fits its name or is all that lacks */
function renamed(input: Class, given: Record<string, unknown>): Record<string, unknown> | undefined {
  const fields = fieldsOf(input);
  const [strange, ...others] = Object.keys(given).filter((name) => !fields.has(name) && !isIgnored(name));
  if (strange === undefined || others.length > 0) return undefined;
  const value = given[strange];
  if (isRecord(value) && takes(input, value)) return value; // the arguments were wrapped
  const free = [...fields].filter(([name]) => given[name] === undefined);
  const alike = free.find(([name]) => isAlike(strange, name));
  const required = /.(_id|Id)s?$/.test(strange) ? [] : free.filter(([, { optional }]) => !optional);
  const meant = alike ?? (required.length === 1 ? required[0] : undefined);
  if (meant === undefined) return undefined;
  const { [strange]: _, ...rest } = given;
  return { ...rest, [meant[0]]: value };
}

/** `taskId`, `task` and `task_ids` for `task_id`. */
const isAlike = (one: string, other: string): boolean => stem(one) === stem(other);
const stem = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/_?ids?$|s$/, '');

/** Words hints of one call in its dialect. */
export const wordingOf =
  (toolset: Toolset, call: AnsweredCall): Wording =>
  (template, facts = {}) => {
    const next = nextCall({ hintTemplate: template, details: facts }, toolset, call);
    return { hint: renderHint(template, facts, toolset.operationNames), ...(next && { next }) };
  };

const idsOf = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name.endsWith('_id') && name !== 'request_id'));

/** A long text is not repeated: who sent it has it. */
function takenBy(input: Class, facts: Record<string, unknown>): Record<string, unknown> {
  const fields = fieldsOf(input);
  const isTaken = ([name, value]: [string, unknown]) =>
    fields.has(name) && value !== null && value !== undefined && isShort(value);
  return Object.fromEntries(Object.entries(facts).filter(isTaken));
}

function isShort(value: unknown): boolean {
  try {
    return JSON.stringify(value).length <= MAX_REPEATED;
  } catch {
    return false; // more levels than JSON.stringify can take
  }
}

/** Whether a call with these arguments would be valid. */
export function takes(input: Class, args: unknown): boolean {
  try {
    InputParser.of(input).parse(args);
    return true;
  } catch {
    return false;
  }
}
