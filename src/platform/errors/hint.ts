import { type ErrorDetails, fill } from './app-error.js';
import { idSources, type Operation, type OperationNames } from './operations.js';

/** `{op:get_task}` is an operation, `{next:get_task}` one that leads on, both perhaps with arguments
 *  (`{next:follow_up action=queue prompt}`; one without a value has to be known from the call); `{task_id}` is a
 *  fact. */
const PLACEHOLDER = /\{(?:(op|next):(\w+)((?: \w+(?:=(?:\{\}|[^\s{}]+))?)*)|\w+)\}/g;

/** Operations become what the surface calls them, facts their values. In one pass, so that a fact is never read as a
 *  placeholder. A path keeps the placeholders for which there is no fact. */
export function renderHint(template: string, facts: ErrorDetails, names: OperationNames): string {
  return template.replace(PLACEHOLDER, (all, kind?: string, operation?: string, args?: string) => {
    if (kind === undefined) return fill(all, facts);
    const said = pairsIn(args ?? '').flatMap(([name, value]) => (value === undefined ? [] : inWords(name, value)));
    const given = said.length > 0 ? ` with ${said.join(' and ')}` : '';
    return withFacts(names(operation as Operation), facts) + given;
  });
}

/** An object is named alone. */
const inWords = (name: string, value: string): string => (value === '{}' ? name : `${name}=${value}`);

const withFacts = (path: string, facts: ErrorDetails): string =>
  path.replace(/\{(\w+)\}/g, (all, name: string) => (name in facts ? String(facts[name]) : all));

/** A call that a hint leads to. */
export interface Lead {
  operation: Operation;
  arguments: Record<string, unknown>;
  /** Arguments that have to be known from the call. */
  needs: string[];
}

/** The calls of a hint that lead on, best first. */
export function leadsOf(template: string): Lead[] {
  return [...template.matchAll(PLACEHOLDER)].flatMap(([, kind, operation, args = '']) => {
    if (kind !== 'next') return [];
    const pairs = pairsIn(args);
    const valued = pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, read(value)] as const]));
    const needs = pairs.flatMap(([name, value]) => (value === undefined ? name : []));
    return [{ operation: operation as Operation, arguments: Object.fromEntries(valued), needs }];
  });
}

/** What yields an id that is not known. */
export const leadTo = (id: string): Lead[] =>
  idSources[id] === undefined ? [] : [{ operation: idSources[id], arguments: {}, needs: [] }];

const pairsIn = (text: string): [name: string, value?: string][] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((pair) => pair.split('=') as [string, string?]);

const read = (value: string): unknown => (/^(\d+|true|false|\{\})$/.test(value) ? JSON.parse(value) : value);

/** Template and facts, as a refusal has them. */
export interface Hinted {
  hintTemplate: string;
  details: ErrorDetails;
}

/** Consent that is not taken over from the call that was answered. */
const CONSENT = [
  'allow_failed',
  'overwrite',
  'expected_head',
  'expected_content',
  'force',
  'checked_out',
  'request_id',
];

/** What a call is repeated with: no consent, and nothing that the facts know as undefined. */
export const repeatedOf = (args: Record<string, unknown>, facts: ErrorDetails): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).filter(([name]) => !CONSENT.includes(name) && (!(name in facts) || facts[name] !== undefined)),
  );

/** What a lead needs and the facts say. */
export const neededOf = ({ needs }: Lead, facts: ErrorDetails): Record<string, unknown> =>
  Object.fromEntries(needs.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]]));
