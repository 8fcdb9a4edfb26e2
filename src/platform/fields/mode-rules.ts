/** Fields that depend on others: the table, and what it says in words. */
import { addField, type Class, fieldsOf } from './field-node.js';

/** What one value of a mode field asks of the other fields. */
interface ModeRule {
  require?: string[];
  forbid?: string[];
  /** Required field → fields any of which can replace it. The published branches leave that out. */
  instead?: Record<string, string[]>;
}

/** Fields that depend on others. One table feeds branches, messages, descriptions and the runtime check. */
export interface ModeRules {
  modes?: { field: string; table: Record<string, ModeRule> };
  exactlyOne?: string[];
  /** Two ways to page that exclude each other, and the field that only goes with the second. */
  paging?: { older: string; newer: string; withNewer?: string };
}

const RULES = Symbol('taskyard:mode-rules');

/** Which fields each value of `field` requires or forbids. */
export const Modes = (field: string, table: NonNullable<ModeRules['modes']>['table']): ClassDecorator =>
  addRule({ modes: { field, table } });
/** Exactly one of the fields is given. */
export const ExactlyOne = (...fields: string[]): ClassDecorator => addRule({ exactlyOne: fields });
/** `older` and `newer` are never given together; `withNewer` only goes with `newer`. */
export const Paging = (older: string, newer: string, withNewer?: string): ClassDecorator =>
  addRule({ paging: { older, newer, withNewer } });

export const modeRulesOf = (type: Class): ModeRules => rulesOf(type);
const rulesOf = (target: object): ModeRules => (Reflect.getMetadata(RULES, target) as ModeRules | undefined) ?? {};

function addRule(rule: ModeRules): ClassDecorator {
  return (target) => Reflect.defineMetadata(RULES, { ...rulesOf(target), ...rule }, target);
}

/** A class of the same fields and rules but for these, for callers to whom they mean nothing. */
export function withoutFields(type: Class, hidden: readonly string[]): Class {
  const shown = (fields: readonly string[] = []) => fields.filter((name) => !hidden.includes(name));
  const { modes, ...rules } = modeRulesOf(type);
  class Shown {}
  for (const [name, node] of fieldsOf(type)) if (!hidden.includes(name)) addField(Shown.prototype, name, node);
  const table = Object.entries(modes?.table ?? {}).map(([value, { require, forbid, instead = {} }]) => {
    const others = Object.entries(instead).map(([field, names]): [string, string[]] => [field, shown(names)]);
    return [value, { require: shown(require), forbid: shown(forbid), instead: Object.fromEntries(others) }] as const;
  });
  addRule({ ...rules, ...(modes && { modes: { field: modes.field, table: Object.fromEntries(table) } }) })(Shown);
  return Shown;
}

/** The mode rules of a field in words, for clients that show only the flat fields. Starts with a space, or is empty. */
export function modeNote(type: Class, field: string): string {
  const { exactlyOne = [], paging } = modeRulesOf(type);
  const notes = valueNotes(modeRulesOf(type), field);
  if (exactlyOne.includes(field)) notes.push(`Pass exactly one of ${exactlyOne.join(' and ')}.`);
  if (paging && field === paging.older) notes.push(`Not together with ${paging.newer}.`);
  if (paging && field === paging.newer) notes.push(`Not together with ${paging.older}.`);
  if (paging && field === paging.withNewer) notes.push(`Only together with ${paging.newer}.`);
  return notes.map((note) => ` ${note}`).join('');
}

/** For which values of the mode field it is required or forbidden. */
function valueNotes({ modes }: ModeRules, field: string): string[] {
  if (!modes) return [];
  const rules = Object.entries(modes.table);
  const values = (part: 'require' | 'forbid') =>
    rules.flatMap(([value, rule]) => (rule[part]?.includes(field) ? [value] : [])).join(' or ');
  const others = [...new Set(rules.flatMap(([, { instead }]) => instead?.[field] ?? []))];
  const unless = others.length ? `, unless ${others.join(' or ')} is given` : '';
  return [
    ...(values('require') ? [`Required when ${modes.field} is ${values('require')}${unless}.`] : []),
    ...(values('forbid') ? [`Not with ${modes.field} ${values('forbid')}.`] : []),
  ];
}

/** The `Required:` line of a tool description, computed from the same rules.
 *  @param settled fields that are given elsewhere, as in a path */
export function requiredLine(type: Class, settled: readonly string[] = []): string {
  const { modes, exactlyOne = [] } = modeRulesOf(type);
  const always = [...fieldsOf(type)]
    .filter(([name, node]) => !node.optional && !settled.includes(name))
    .map(([name]) => name);
  const hasTarget = exactlyOne.length > 0 && !exactlyOne.some((field) => settled.includes(field));
  const parts = [...always, ...(hasTarget ? [`exactly one of ${exactlyOne.join(' | ')}`] : [])];
  const byMode = new Map<string, string[]>();
  for (const [value, { require = [] }] of Object.entries(modes?.table ?? {}))
    for (const field of require) byMode.set(field, [...(byMode.get(field) ?? []), value]);
  const conditional = [...byMode].map(([field, when]) => `${field} when ${modes!.field} is ${when.join(' or ')}`);
  return [parts.join(', '), ...conditional].filter(Boolean).join('; ') || 'nothing';
}

/** Fields of many tools, which mean the same in each, and those that few calls need. */
const UNNAMED = [
  ...['limit', 'cursor', 'wait_ms', 'request_id', 'repo_id', 'expected_head', 'expected_content', 'allow_failed'],
  ...['start', 'max_bytes', 'timeout_secs', 'while_approval', 'include_untrusted'],
];

/** The `Optional:` line: what is commonly used, and neither required nor a target. */
export function optionalLine(type: Class): string {
  const { modes, exactlyOne = [] } = modeRulesOf(type);
  const conditional = Object.values(modes?.table ?? {}).flatMap((rule) => rule.require ?? []);
  const names = [...fieldsOf(type)]
    .filter(([name, { optional }]) => optional && ![...exactlyOne, ...conditional, ...UNNAMED].includes(name))
    .map(([name]) => name);
  return names.join(', ') || 'nothing';
}
