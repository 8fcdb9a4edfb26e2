import { type Class, fieldsOf } from './field-node.js';
import { modeRulesOf } from './mode-rules.js';

/** The mode rules of a field in words, for clients that show only the flat fields. Starts with a space, or is empty. */
export function modeNote(type: Class, field: string): string {
  const { modes, exactlyOne = [], paging } = modeRulesOf(type);
  const notes: string[] = [];
  const values = (part: 'require' | 'forbid') =>
    Object.entries(modes?.table ?? {})
      .filter(([, rule]) => rule[part]?.includes(field))
      .map(([value]) => value);
  if (values('require').length) notes.push(`Required when ${modes!.field} is ${values('require').join(' or ')}.`);
  if (values('forbid').length) notes.push(`Not allowed when ${modes!.field} is ${values('forbid').join(' or ')}.`);
  if (exactlyOne.includes(field)) notes.push(`Pass exactly one of ${exactlyOne.join(' and ')}.`);
  if (paging && field === paging.older) notes.push(`Not together with ${paging.newer}.`);
  if (paging && field === paging.newer) notes.push(`Not together with ${paging.older}.`);
  if (paging && field === paging.withNewer) notes.push(`Only together with ${paging.newer}.`);
  return notes.map((note) => ` ${note}`).join('');
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

/** The `Optional:` line: what is neither required nor a target. */
export function optionalLine(type: Class): string {
  const { modes, exactlyOne = [] } = modeRulesOf(type);
  const conditional = Object.values(modes?.table ?? {}).flatMap((rule) => rule.require ?? []);
  const names = [...fieldsOf(type)]
    .filter(([name, node]) => node.optional && !exactlyOne.includes(name) && !conditional.includes(name))
    .map(([name]) => name);
  return names.join(', ') || 'nothing';
}
