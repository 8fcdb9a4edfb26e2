import { Injectable } from '@nestjs/common';
import { AppError } from '../../src/platform/errors/app-error.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TimeField,
  UuidField,
} from '../../src/platform/fields/fields.js';
import { ExactlyOne, Modes } from '../../src/platform/fields/mode-rules.js';
import type { References } from '../../src/mcp/providers.js';
import { type CallContext, Tool, type ToolHandler, type Toolset } from '../../src/mcp/tool.js';

/** No records stand behind any id. */
export const knowsNothing: References = {
  named: (args) => Promise.resolve(args),
  recognise: () => Promise.resolve(null),
};

export const inkBook = '0198c0de-0000-7000-8000-00000000000a';
export const boundAttempt = '0198c0de-0000-7000-8000-0000000000aa';

class NoteOutput {
  @UuidField('Id of the note, UUID.') note_id!: string;
  @TextField('What it says.') text!: string;
  @TextField('Its label; null where it has none.', { nullable: true }) label!: string | null;
  @TimeField('When it was written, RFC 3339 UTC.') written_at!: string;
}

class ListNotesInput {
  @UuidField('Only notes of this book, UUID.', { optional: true }) book_id?: string;
  @IntField('How many notes at most, from 1.', { optional: true, minimum: 1 }) limit?: number;
  @IntField('Wait this many milliseconds for a note, from 0.', { optional: true, minimum: 0 }) wait_ms?: number;
}

class ListNotesOutput {
  @ListField('Notes, newest first.', () => NoteOutput) notes!: NoteOutput[];
  @BoolField('True when older notes exist.') has_more!: boolean;
}

@Modes('action', { add: { require: ['text'] }, replace: { require: ['text'] }, clear: { forbid: ['text', 'label'] } })
@ExactlyOne('note_id', 'book_id')
class WriteNoteInput {
  @EnumField('What to do: add, replace or clear.', ['add', 'replace', 'clear'], {
    redirects: { list: 'Use list_notes to read.' },
  })
  action!: 'add' | 'replace' | 'clear';
  @UuidField('The note to write on, UUID.', { optional: true }) note_id?: string;
  @UuidField('The book to write in, UUID.', { optional: true }) book_id?: string;
  @TextField('The text, not blank.', { optional: true, nonBlank: true }) text?: string;
  @TextField('A label.', { optional: true }) label?: string;
  @TextField('Free text of 1-128 characters; a repeated call with it answers the first result.', {
    optional: true,
    nonBlank: true,
    maxLength: 128,
  })
  request_id?: string;
}

class WriteNoteOutput {
  @UuidField('Id of the note written, UUID; null when none was.', { nullable: true }) note_id!: string | null;
  @EnumField('What was done.', ['add', 'replace', 'clear']) action!: string;
}

class GetContextInput {}
class GetContextOutput {
  @UuidField('The bound attempt, UUID.') attempt_id!: string;
  @TextField('Who calls.') principal!: string;
}

@Injectable()
export class Notes {
  readonly kept: NoteOutput[] = [];
  /** What a write waits for. */
  gate: () => Promise<void> = () => Promise.resolve();
}

@Injectable()
@Tool({
  name: 'list_notes',
  title: 'List notes',
  input: ListNotesInput,
  output: ListNotesOutput,
  effect: 'read',
  scope: 'read',
  guide: { useWhen: 'You want to read what was written.', next: 'write_note', avoid: 'Polling without wait_ms.' },
})
export class ListNotesTool implements ToolHandler<ListNotesInput, ListNotesOutput> {
  constructor(private readonly notes: Notes) {}
  call({ limit = 50 }: ListNotesInput): Promise<ListNotesOutput> {
    return Promise.resolve({ notes: this.notes.kept.slice(0, limit), has_more: this.notes.kept.length > limit });
  }
}

@Injectable()
@Tool({
  name: 'write_note',
  title: 'Write a note',
  input: WriteNoteInput,
  output: WriteNoteOutput,
  effect: 'create',
  scope: 'write',
  guide: {
    useWhen: 'You have something to keep.',
    next: 'Call list_notes to see it.',
    avoid: 'Giving both note_id and book_id.',
  },
})
export class WriteNoteTool implements ToolHandler<WriteNoteInput, WriteNoteOutput> {
  constructor(private readonly notes: Notes) {}
  async call({ action, note_id, text = '', label }: WriteNoteInput): Promise<WriteNoteOutput> {
    if (note_id && !this.notes.kept.some((note) => note.note_id === note_id))
      throw new AppError('file_not_found', { path: note_id });
    await this.notes.gate();
    const id = `0198c0de-0000-7000-8000-${String(this.notes.kept.length).padStart(12, '0')}`;
    this.notes.kept.unshift({ note_id: id, text, label: label ?? null, written_at: '2026-11-21T12:00:00.000Z' });
    return { note_id: id, action };
  }
}

@Injectable()
@Tool({
  name: 'get_context',
  title: 'Where am I',
  input: GetContextInput,
  output: GetContextOutput,
  effect: 'read',
  scope: 'read',
  needsAttempt: true,
  guide: { useWhen: 'You run inside an attempt.', next: 'list_notes', avoid: 'Calling it twice; it never changes.' },
})
export class GetContextTool implements ToolHandler<GetContextInput, GetContextOutput> {
  call(_: GetContextInput, { attempt_id, principal }: CallContext): Promise<GetContextOutput> {
    return Promise.resolve({ attempt_id: attempt_id!, principal: principal.id });
  }
}

/** A small dialect of its own, so that the protocol core is tested without the words of the real ones. */
export const sampleToolset: Toolset = {
  id: 'notes',
  path: '/mcp/notes',
  title: 'Notes',
  introduction: 'Keeps notes in books.',
  loop: ['list_notes', 'write_note'],
  tools: [ListNotesTool, WriteNoteTool, GetContextTool],
  prompts: [
    {
      name: 'keep_notes',
      title: 'Keep notes',
      description: 'Walks through reading and writing the notes of a book.',
      arguments: [
        { name: 'book_id', description: 'The book.', required: true },
        { name: 'label', description: 'A label for new notes.', required: false },
      ],
      opening: ({ book_id, label }) => `Keep notes in book ${book_id}.${label ? ` Label them ${label}.` : ''}`,
    },
  ],
  operationNames: (operation) => (operation === 'get_attempt_changes' ? 'list_notes' : operation),
};
