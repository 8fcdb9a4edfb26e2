/** What one refusal means: its HTTP status, whether the same call may succeed later, its message and the next call.
 *  `{name}` is filled from the details of the error, `{op:name}` with the caller's name of the operation, and
 *  `{next:name}` with that of one that leads on. */
export interface ErrorRow {
  status: number;
  retryable: boolean;
  message: string;
  hint: string;
  /** What to do next, for people at the page; undefined where the hint says it to them, too. */
  people: string | undefined;
}

export const final = (status: number, message: string, hint: string, people?: string): ErrorRow => ({
  status,
  retryable: false,
  message,
  hint,
  people,
});

export const retryable = (status: number, message: string, hint: string, people?: string): ErrorRow => ({
  status,
  retryable: true,
  message,
  hint,
  people,
});
