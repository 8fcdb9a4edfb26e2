import { type Class, fieldsOf } from './field-node.js';
import { type JsonSchema, objectSchema } from './json-schema.js';
import { type ModeRules, modeRulesOf } from './mode-rules.js';

/** What one combination of modes asks of the fields. */
export interface Branch {
  title: string;
  properties?: JsonSchema;
  require: string[];
  forbid: string[];
}

/** The oneOf branches of a class: modes × targets × ways to page. Only the root is closed.
 *  @param settled fields that are given elsewhere, as in an address; they are neither asked for nor forbidden any
 *  more */
function branchesOf(type: Class, settled: readonly string[] = []): JsonSchema[] {
  const rules = modeRulesOf(type);
  // no target forbids the others: of oneOf only one branch may fit
  const targets = targetBranches(rules, settled).map((branch) => ({ ...branch, forbid: [] }));
  const groups = [merged(modeBranches(rules), rules), targets, pagingBranches(rules)];
  const always = [...fieldsOf(type)].flatMap(([name, { optional }]) => (optional ? [] : name));
  return combined(groups, [...settled, ...always]).map(toSchema);
}

/** Modes that ask the same are one branch. */
function merged(branches: Branch[], { modes }: ModeRules): Branch[] {
  const groups = new Map<string, Branch[]>();
  for (const branch of branches) {
    const asked = JSON.stringify([branch.require, branch.forbid]);
    groups.set(asked, [...(groups.get(asked) ?? []), branch]);
  }
  return [...groups.values()].map((group) => ({
    ...group[0]!,
    properties: { [modes!.field]: { enum: group.map(({ title }) => title) } },
  }));
}

/** The same for the body of a route, from which client types are generated: with a branch for each alternative to a
 *  required field. */
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

const toSchema = ({ properties, require, forbid }: Branch): JsonSchema => ({
  ...(properties ? { properties } : {}),
  ...(require.length ? { required: require } : {}),
  ...(forbid.length === 1 ? { not: { required: forbid } } : {}),
  ...(forbid.length > 1 ? { not: { anyOf: forbid.map((field) => ({ required: [field] })) } } : {}),
});

/** How a union is published: `portable` hides it behind if/then, `oneof` shows it at the root,
 *  `flat` leaves it to the descriptions. */
export const schemaProfiles = ['portable', 'oneof', 'flat'] as const;
export type SchemaProfile = (typeof schemaProfiles)[number];

/** @param settled fields that may be left out, since the address of the endpoint gives them */
export function inputSchema(type: Class, profile: SchemaProfile, settled: readonly string[] = []): JsonSchema {
  const branches = profile === 'flat' ? [] : branchesOf(type, settled);
  const base = lean(
    withDefaults(objectSchema(type, profile === 'flat' ? 'flat' : 'input', branches.length === 0), settled),
  );
  if (branches.length === 0) return base;
  if (profile === 'oneof') return { ...base, oneOf: branches };
  const mode = modeRulesOf(type).modes?.field;
  return { ...base, if: mode ? { required: [mode] } : { type: 'object' }, then: { oneOf: branches } };
}

/** No word is lost on fields that are not there. */
function lean<S extends { required: string[] }>(schema: S): Omit<S, 'required'> {
  const { required, ...others } = schema;
  return required.length > 0 ? schema : others;
}

function withDefaults(schema: ReturnType<typeof objectSchema>, settled: readonly string[]) {
  if (settled.length === 0) return schema;
  const described = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) =>
    settled.includes(name)
      ? [name, { ...field, description: `${String(field.description)} Default: that of this endpoint.` }]
      : [name, field],
  );
  return {
    ...schema,
    properties: Object.fromEntries(described) as JsonSchema,
    required: schema.required.filter((name) => !settled.includes(name)),
  };
}

/** Root object without combinators. A refusal in structuredContent must not break strict clients, so the success
 *  fields are only required where the keys of the error envelope are absent. */
export function outputSchema(type: Class, envelope: Class): JsonSchema {
  const { properties, required } = objectSchema(type, 'output');
  const error = objectSchema(envelope, 'output');
  return {
    type: 'object',
    properties: { ...error.properties, ...properties },
    if: { required: ['code', 'retryable', 'hint'] },
    else: { required },
  };
}
