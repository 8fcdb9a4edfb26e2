import type { FastifyRequest } from 'fastify';
import { type AppError, fill } from './app-error.js';
import { type EnvelopeExtras, type ErrorEnvelope, toEnvelope } from './error-envelope.js';
import { restNames } from './operations.js';

/** The page sends it with every request. */
const READER = 'taskyard-reader';

const isPerson = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => headers[READER] === 'person';

/** A refusal over REST, with the hint for who reads it: a program, or a person at the page. */
export function toRestEnvelope(
  error: AppError,
  request: Pick<FastifyRequest, 'headers'>,
  extras?: EnvelopeExtras,
): ErrorEnvelope {
  const envelope = toEnvelope(error, restNames, extras);
  return isPerson(request) ? { ...envelope, hint: peopleHint(error) } : envelope;
}

/** Calls, fields, settings, headers and addresses of the API: nothing that a person could do. */
const OF_PROGRAMS =
  /\{(?:op|next):|[a-z]_[a-z]|[A-Z]_[A-Z*]|\/api\/|\w=|\w\.\w|`|"|JSON|\b(?:GET|POST|PUT|PATCH|DELETE)\b/;

/** What a person is told to do next: the sentence for people, or those of the hint that are not for programs alone.
 *  Empty where nothing is left. */
export function peopleHint({ row, hintTemplate, details }: AppError): string {
  const sentences = hintTemplate.split(/(?<=\.) /).filter((said) => !OF_PROGRAMS.test(said.replace(/\{\w+\}/g, '')));
  return fill(row.people ?? sentences.join(' '), details);
}
