import { AppError } from '../errors/app-error.js';
import type { Class } from './field-node.js';
import { type ModeRules, modeRulesOf } from './mode-rules.js';
import { refusal } from './input-errors.js';

/** The runtime side of the mode table; messages name the field and the mode, not Ajv's list of failed branches. */
export function checkModes(type: Class, input: Record<string, unknown>): void {
  const rules = modeRulesOf(type);
  checkTarget(rules, input);
  checkPaging(rules, input);
  checkMode(rules, input);
}

function checkTarget({ exactlyOne }: ModeRules, input: Record<string, unknown>): void {
  if (!exactlyOne) return;
  const given = exactlyOne.filter((field) => input[field] !== undefined);
  if (given.length === 1) return;
  throw new AppError(
    given.length === 0 ? 'missing_target' : 'ambiguous_target',
    { given, allowed: exactlyOne },
    exactlyOne.includes('attempt_id') ? undefined : 'Pass exactly one of {allowed}.',
  );
}

function checkPaging({ paging }: ModeRules, input: Record<string, unknown>): void {
  if (!paging) return;
  const has = (field?: string) => field !== undefined && input[field] !== undefined;
  if (has(paging.older) && has(paging.newer))
    throw new AppError('mixed_pagination', { given: [paging.older, paging.newer] });
  if (has(paging.withNewer) && !has(paging.newer))
    throw refusal([{ field: paging.withNewer!, message: `${paging.withNewer} only goes with ${paging.newer}` }]);
}

function checkMode({ modes }: ModeRules, input: Record<string, unknown>): void {
  if (!modes) return;
  const mode = String(input[modes.field]);
  const { require = [], forbid = [], instead = {} } = modes.table[mode] ?? {};
  const wrong = [
    ...require
      .filter((field) => [field, ...(instead[field] ?? [])].every((name) => input[name] === undefined))
      .map((field) => ({ field, message: `${field} is required when ${modes.field}=${mode}` })),
    ...forbid
      .filter((field) => input[field] !== undefined)
      .map((field) => ({ field, message: `${field} is not allowed when ${modes.field}=${mode}` })),
  ];
  if (wrong.length) throw refusal(wrong);
}
