/** What a refusal holds, as the server documents it. */
interface Refusal {
  code: string;
  message: string;
  retryable: boolean;
  hint: string;
  details: Record<string, unknown>;
}

/** The request that a refusal leads to. */
export interface NextRequest {
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** A refusal of the server. The code is `unreachable` where no server answers, and `unknown` where something else than
 *  Taskyard does; `status` is 0 without an answer. */
export class TaskyardError extends Error {
  override readonly name = 'TaskyardError';
  readonly code: string;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** What to do. */
  readonly hint: string;
  /** The request that does it, where there is one. */
  readonly next: NextRequest | null;
  readonly details: Record<string, unknown>;

  constructor(
    { code, message, retryable, hint, details }: Refusal,
    readonly status: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.retryable = retryable;
    this.hint = hint;
    this.details = details;
    this.next = (details.next as NextRequest | undefined) ?? null;
  }
}

/** @param body of an answer that is no success, as JSON if it is that */
export function refusalOf({ status, statusText, url }: Response, body: unknown): TaskyardError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Partial<Refusal>;
  const { code = 'unknown', message = `${url} answered ${status} ${statusText}`, retryable = false } = said;
  const { hint = 'Check the address of the server.', details = {} } = said;
  return new TaskyardError({ code, message, retryable, hint, details }, status);
}

/** Whether no server answered, or a proxy in its place: it may come back. */
export const isAway = (error: unknown): boolean =>
  error instanceof TaskyardError && [0, 502, 503, 504].includes(error.status);

/** No answer came. */
export function unreachable(url: string, cause: unknown): TaskyardError {
  const { origin } = new URL(url);
  const message = `${origin} cannot be reached.`;
  const hint = 'Check the address, and that the server runs.';
  return new TaskyardError({ code: 'unreachable', message, retryable: true, hint, details: {} }, 0, { cause });
}
