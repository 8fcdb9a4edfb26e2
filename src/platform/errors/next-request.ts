import type { ErrorDetails } from './app-error.js';
import { type Hinted, type Lead, leadsOf, leadTo, neededOf, renderHint, repeatedOf } from './hint.js';
import { type Operation, operationBodies, operations, restNames } from './operations.js';
import type { Wording } from './wording.js';

/** A request over REST. */
export interface NextRequest {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** The request that an answer leads to; where an id is unknown, the one that yields it.
 *  @param sent what was said: the parameters of the path, and the body or query
 *  @param repeated the operation that was called, where an answer may lead to the same one again
 *  @returns undefined where the hint names none */
export function nextRequest(
  { hintTemplate, details }: Hinted,
  sent: ErrorDetails,
  repeated?: Operation,
): NextRequest | undefined {
  const facts = { ...sent, ...details };
  const leads = leadsOf(hintTemplate).filter(({ needs }) => needs.every((name) => facts[name] !== undefined));
  for (const lead of leads) {
    const said = lead.operation === repeated ? repeatedOf(sent, details) : {};
    const found = requestOf(lead, facts, said);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Words hints of a request for one operation. */
export const restWording =
  (operation: Operation, sent: object): Wording =>
  (template, facts = {}) => {
    const details = { ...sent, ...facts };
    const next = nextRequest({ hintTemplate: template, details: facts }, { ...sent }, operation);
    return { hint: renderHint(template, details, restNames), ...(next && { next }) };
  };

function requestOf(lead: Lead, facts: ErrorDetails, said: ErrorDetails = {}): NextRequest | undefined {
  const [method = '', template = ''] = operations[lead.operation].split(' ');
  const parts = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const unknown = parts.find((name) => typeof facts[name] !== 'string');
  if (unknown !== undefined) return leadTo(unknown).map((source) => requestOf(source, facts))[0];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(facts[name])));
  const all = Object.entries({ ...said, ...neededOf(lead, facts), ...lead.arguments });
  const given = all.filter(([name, value]) => value !== undefined && !parts.includes(name));
  if (method !== 'GET')
    return { method, path, body: { ...operationBodies[lead.operation], ...Object.fromEntries(given) } };
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return { method, path: query.size > 0 ? `${path}?${query.toString()}` : path };
}
