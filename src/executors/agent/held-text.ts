import type { EntryType, NormalizedEntry } from '../log-entry.js';

type Spoken = Extract<EntryType, 'assistant_message' | 'thinking'>;
const MAX_HELD_CHARS = 32_768;

/** Joins the pieces of a message: nothing marks its end, so another kind of event or a pause closes it. */
export class HeldText {
  private type: Spoken = 'assistant_message';
  private text = '';
  private goesOn = false;
  private answer = '';

  add(type: Spoken, piece: string): NormalizedEntry[] {
    const done = type === this.type ? [] : this.close();
    this.type = type;
    this.text += piece;
    if (type === 'assistant_message') this.answer = this.goesOn ? this.answer + piece : piece;
    this.goesOn = true;
    return this.text.length >= MAX_HELD_CHARS ? [...done, ...this.flush()] : done;
  }

  /** Gives out what is held; the message may go on in another entry. */
  flush(): NormalizedEntry[] {
    const content = this.text.replace(/^\n+|\n+$/g, '');
    this.text = '';
    return content.trim() === '' ? [] : [{ type: this.type, content }];
  }

  /** Gives out what is held; the message is over. */
  close(): NormalizedEntry[] {
    this.goesOn = false;
    return this.flush();
  }

  /** The last message, however many entries it took. */
  get lastMessage(): string {
    return this.answer;
  }
}
