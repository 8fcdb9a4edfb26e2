/** Arguments that the address of an endpoint gives. */
import { type Class, type FieldNode, fieldsOf } from '../platform/fields/field-node.js';
import { modeRulesOf } from '../platform/fields/mode-rules.js';
import { isRecord } from '../platform/fields/normalise.js';
import type { EndpointDefaults, ToolDefinition } from './tool.js';

/** Each field that an endpoint can give, with the fields any of which stands for it. What stops or delivers an attempt
 *  wants its attempt said. */
function givable({ effect, input }: Pick<ToolDefinition, 'effect' | 'input'>): Map<keyof EndpointDefaults, string[]> {
  const has = (field: string) => fieldsOf(input).has(field);
  const { exactlyOne = [] } = modeRulesOf(input);
  const found = new Map<keyof EndpointDefaults, string[]>();
  if (exactlyOne.includes('attempt_id')) found.set('attempt_id', exactlyOne);
  else if (effect === 'read' && has('attempt_id')) found.set('attempt_id', ['attempt_id']);
  if (has('project_id')) found.set('project_id', ['project_id']);
  return found;
}

/** Fields that a caller may leave out at an endpoint that gives these. */
export const settledFields = (tool: ToolDefinition, given: readonly (keyof EndpointDefaults)[]): string[] =>
  [...givable(tool).keys()].filter((field) => given.includes(field));

/** Fills in what the endpoint gives, where the call leaves it out. */
export function defaultsFor(tool: ToolDefinition): (args: unknown, endpoint: EndpointDefaults) => unknown {
  const fields = [...givable(tool)];
  return (args, endpoint) => {
    if (!isRecord(args)) return args;
    const missing = fields.filter(([field, standIns]) => {
      const isGiven = (endpoint[field] ?? null) !== null;
      return isGiven && !standIns.some((name) => isSaid(tool.input, name, args[name]));
    });
    if (missing.length === 0) return args;
    return { ...args, ...Object.fromEntries(missing.map(([field]) => [field, endpoint[field]])) };
  };
}

/** null is said only where it means something. */
function isSaid(input: Class, name: string, value: unknown): boolean {
  const { nullClears }: Partial<FieldNode> = fieldsOf(input).get(name) ?? {};
  return value === null ? nullClears === true : value !== undefined && value !== '';
}
