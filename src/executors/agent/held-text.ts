import type { EntryType, NormalizedEntry } from '../log-entry.js';

type Spoken = Extract<EntryType, 'assistant_message' | 'thinking'>;
const MAX_HELD_CHARS = 32_768;
const WHOLE_SENTENCES = /^[^]*(?:[.!?:]\s|[。！？]|\n)/;

/** Joins the pieces of a message, which models say a word at a time. Nothing marks its end: another kind of event does,
 *  and meanwhile it is given out by sentences. The entries of a message hold every character of it. */
export class HeldText {
  private type: Spoken = 'assistant_message';
  private text = '';
  private goesOn = false;
  private isPart = false;
  private answer = '';

  add(type: Spoken, piece: string): NormalizedEntry[] {
    const done = type === this.type ? [] : this.close();
    this.type = type;
    this.text += piece;
    if (type === 'assistant_message') this.answer = this.goesOn ? this.answer + piece : piece;
    this.goesOn = true;
    return this.text.length >= MAX_HELD_CHARS ? [...done, ...this.flush()] : done;
  }

  /** Emits what is held; the message may continue in another entry.
   *  @param goesOn it is being said: whole sentences only */
  flush(goesOn = false): NormalizedEntry[] {
    const ready = goesOn ? (WHOLE_SENTENCES.exec(this.text)?.[0] ?? '') : this.text;
    if (ready.trim() === '') return []; // it waits for what follows
    return this.giveOut(ready);
  }

  /** Emits what is held; the message is complete. */
  close(): NormalizedEntry[] {
    const rest = this.isPart && this.text !== '' ? this.giveOut(this.text) : this.flush();
    this.text = '';
    this.goesOn = false;
    this.isPart = false;
    return rest;
  }

  private giveOut(content: string): NormalizedEntry[] {
    const entry = { type: this.type, content, ...(this.isPart ? { continues: true as const } : {}) };
    this.text = this.text.slice(content.length);
    this.isPart = true;
    return [entry];
  }

  /** The last message, however many entries it took. */
  get lastMessage(): string {
    return this.answer;
  }
}
