import type { Class } from './field-node.js';
import type { JsonSchema } from './json-schema.js';
import { type ModeRules, modeRulesOf } from './mode-rules.js';

/** What one combination of modes asks of the fields. */
export interface Branch {
  title: string;
  properties?: JsonSchema;
  require: string[];
  forbid: string[];
}

/** The oneOf branches of a class: every mode × every target × every way to page. They are not closed, the root is.
 *  @param settled fields that are given elsewhere, as in a path; they are neither asked for nor forbidden any more */
export function branchesOf(type: Class, settled: readonly string[] = []): JsonSchema[] {
  const rules = modeRulesOf(type);
  return combined([modeBranches(rules), targetBranches(rules, settled), pagingBranches(rules)], settled).map(toSchema);
}

/** The same for the body of a route, whose types are made from it: with a branch for each field that may stand in for
 *  a required one. */
export function bodyBranchesOf(type: Class, settled: readonly string[]): Branch[] {
  const rules = modeRulesOf(type);
  const modes = modeBranches(rules).flatMap((branch) => standIns(branch, rules));
  return combined([modes, targetBranches(rules, settled)], settled);
}

function combined(groups: Branch[][], settled: readonly string[]): Branch[] {
  const filled = groups.filter((group) => group.length > 0);
  if (filled.length === 0) return [];
  return filled
    .reduce((left, right) => left.flatMap((a) => right.map((b) => join(a, b))))
    .map((branch) => without(branch, settled));
}

function standIns(branch: Branch, { modes }: ModeRules): Branch[] {
  const instead = Object.entries(modes!.table[branch.title]!.instead ?? {});
  return instead.reduce(
    (branches, [field, others]) =>
      branches.flatMap((one) => [
        one,
        ...others.map((other) => ({
          ...one,
          title: `${one.title} by ${other}`,
          require: one.require.map((name) => (name === field ? other : name)),
        })),
      ]),
    [branch],
  );
}

function modeBranches({ modes }: ModeRules): Branch[] {
  if (!modes) return [];
  return Object.entries(modes.table).map(([value, { require = [], forbid = [] }]) => ({
    title: value,
    properties: { [modes.field]: { enum: [value] } },
    require: [modes.field, ...require],
    forbid,
  }));
}

function targetBranches({ exactlyOne = [] }: ModeRules, settled: readonly string[]): Branch[] {
  if (exactlyOne.some((field) => settled.includes(field))) return [];
  return exactlyOne.map((field) => ({
    title: `by ${field}`,
    require: [field],
    forbid: exactlyOne.filter((other) => other !== field),
  }));
}

function pagingBranches({ paging }: ModeRules): Branch[] {
  if (!paging) return [];
  const { older, newer, withNewer } = paging;
  return [
    { title: `latest, or older with ${older}`, require: [], forbid: [newer, ...(withNewer ? [withNewer] : [])] },
    { title: `newer than ${newer}`, require: [newer], forbid: [older] },
  ];
}

const join = (a: Branch, b: Branch): Branch => ({
  title: `${a.title} ${b.title}`,
  properties: a.properties ?? b.properties,
  require: [...a.require, ...b.require],
  forbid: [...a.forbid, ...b.forbid],
});

const without = (branch: Branch, settled: readonly string[]): Branch => ({
  ...branch,
  require: branch.require.filter((field) => !settled.includes(field)),
  forbid: branch.forbid.filter((field) => !settled.includes(field)),
});

const toSchema = ({ title, properties, require, forbid }: Branch): JsonSchema => ({
  title,
  ...(properties ? { properties } : {}),
  ...(require.length ? { required: require } : {}),
  ...(forbid.length === 1 ? { not: { required: forbid } } : {}),
  ...(forbid.length > 1 ? { not: { anyOf: forbid.map((field) => ({ required: [field] })) } } : {}),
});
