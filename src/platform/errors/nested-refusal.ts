import { AppError, type ErrorDetails } from './app-error.js';
import { errorCatalogue, type ErrorCode } from './error-catalogue.js';

/** A refusal within an answer, as it is stored; each surface says it in its own words. */
export interface NestedRefusal {
  $refusal: ErrorCode;
  details: ErrorDetails;
  hint: string;
}

export const nested = ({ code, details, hintTemplate }: AppError): NestedRefusal => ({
  $refusal: code,
  details,
  hint: hintTemplate,
});

/** The answer with its refusals in the words of a surface. */
export function withEnvelopes(answer: unknown, envelope: (error: AppError) => object): unknown {
  if (Array.isArray(answer)) return answer.map((item) => withEnvelopes(item, envelope));
  if (typeof answer !== 'object' || answer === null || answer instanceof Date) return answer;
  if (isNested(answer)) return envelope(AppError.passedOn(answer.$refusal, answer.details, answer.hint));
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, withEnvelopes(value, envelope)]));
}

const isNested = (value: object): value is NestedRefusal =>
  '$refusal' in value && Object.hasOwn(errorCatalogue, value.$refusal as string);
