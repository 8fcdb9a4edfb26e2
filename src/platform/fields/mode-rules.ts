import type { Class } from './field-node.js';

/** What one value of a mode field asks of the other fields. */
export interface ModeRule {
  require?: string[];
  forbid?: string[];
  /** Required field → the fields for any of which it may be left out. The published branches keep to the plain form. */
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
