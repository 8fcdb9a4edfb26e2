import { AppError } from '../platform/errors/app-error.js';

/** Lines that a refusal names; the others are only counted. */
const MAX_NAMED = 20;
/** Characters of a message, which repeats what the caller sent. */
const MAX_MESSAGE = 500;

/** What is wrong with an import, line by line. */
export class LineErrors {
  private readonly named: { line: number; message: string }[] = [];
  private count = 0;

  add(line: number, message: string): void {
    this.count += 1;
    if (this.named.length < MAX_NAMED) this.named.push({ line, message: message.slice(0, MAX_MESSAGE) });
  }

  /** Whether further ones would not be named. */
  get isFull(): boolean {
    return this.named.length === MAX_NAMED;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** @throws AppError import_refused if there is one */
  refuse(): void {
    if (this.isEmpty) return;
    const [first] = this.named;
    const more = this.count - this.named.length;
    throw new AppError('import_refused', {
      summary: `line ${first!.line} ${first!.message}${this.count > 1 ? `, and ${this.count - 1} more` : ''}`,
      errors: this.named,
      more: more > 0 ? more : undefined,
    });
  }
}
