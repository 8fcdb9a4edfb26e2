import type { AppError } from '../platform/errors/app-error.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import type { Operation } from '../platform/errors/operations.js';
import { toolDefinitionOf, type Toolset } from './tool.js';

const NOTHING_HERE = 'No tool here changes that: tell the person for whom you work.';
const OPERATION = /\{(?:op|next):(\w+)[^}]*\}/g;
/** Names of fields and tools; those of facts stand in braces. */
const NAME = /(?<![{\w])[a-z]+(?:_[a-z]+)+(?![\w}])/g;

/** The hint of an error, in a dialect of its own without sentences about tools and fields that it does not have. */
export function ownHint({ hintTemplate }: Pick<AppError, 'hintTemplate'>, toolset: Toolset): string {
  if (toolset.renderError === undefined) return hintTemplate;
  const known = namesOf(toolset);
  const isOwn = (sentence: string) =>
    [...sentence.matchAll(OPERATION)].every(([, name]) => known.has(toolset.operationNames(name as Operation))) &&
    [...sentence.replace(OPERATION, '').matchAll(NAME)].every(([name]) => known.has(name));
  const kept = hintTemplate.split(/(?<=[.;]) (?=\S)/).filter(isOwn);
  const hint = kept.join(' ').replace(/;$/, '.');
  return hint === '' ? NOTHING_HERE : hint.charAt(0).toUpperCase() + hint.slice(1);
}

const namesByToolset = new WeakMap<Toolset, ReadonlySet<string>>();

function namesOf(toolset: Toolset): ReadonlySet<string> {
  const known = namesByToolset.get(toolset) ?? gather(toolset);
  namesByToolset.set(toolset, known);
  return known;
}

const gather = ({ tools }: Toolset): ReadonlySet<string> =>
  new Set(
    tools
      .map(toolDefinitionOf)
      .flatMap(({ name, input, output }) => [name, ...fieldsOf(input).keys(), ...fieldsOf(output).keys()]),
  );
