import { errorCatalogue, type ErrorCode, type ErrorRow } from './error-catalogue.js';

export type ErrorDetails = Record<string, unknown>;

/** A refusal that the caller can act on. The thrower gives code and facts; the catalogue has status, text and hint.
 *  @example throw new AppError('no_session_yet', { attempt_id }) */
export class AppError extends Error {
  readonly row: ErrorRow;

  /** @param hint replaces the hint of the catalogue if the arguments say more about the next call. */
  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
    private readonly hint?: string,
  ) {
    super(code);
    this.row = errorCatalogue[code];
    this.message = fill(this.row.message, details);
  }

  /** Rebuilt from what another process threw. */
  static passedOn(code: ErrorCode, details: ErrorDetails, hint: string): AppError {
    return new this(code, details, hint);
  }

  get hintTemplate(): string {
    return this.hint ?? this.row.hint;
  }
}

/** Replaces `{name}` with the detail of that name; lists are joined, what is missing reads as nothing. */
export function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = details[name] ?? '';
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
