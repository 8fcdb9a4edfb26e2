import { describe, expect, it } from '@jest/globals';
import type { LogEntryFields } from './log.dto.js';
import { textOf } from './log-text.js';

const rows = (execution_process_id: string | null, ...entries: LogEntryFields[]) =>
  entries.map((entry, entry_index) => ({ entry_index, execution_process_id, created_at: '', entry }));

describe('a log as text', () => {
  it('joins lines below one header an execution, and names standard error', () => {
    const first = rows('a', { type: 'stdout', content: 'one' }, { type: 'stderr', content: 'two' });
    const second = rows('b', { type: 'stdout', content: 'three' });
    expect(textOf([...first, ...second])).toBe('# execution a\none\n[stderr] two\n# execution b\nthree');
  });

  it('puts together what is one line, but for one that another execution began', () => {
    const parts = rows('a', { type: 'stdout', content: 'on' }, { type: 'stdout', content: 'e', continues: true });
    expect(textOf(parts)).toBe('# execution a\none');
    const [, rest] = parts;
    expect(textOf([...rows('b', { type: 'stdout', content: 'x' }), rest!])).toBe('# execution b\nx\n# execution a\ne');
  });

  it('names what agents say and do', () => {
    const said = rows(
      null,
      { type: 'assistant_message', content: 'I look.' },
      { type: 'tool_use', tool_name: 'Bash', content: 'ls' },
    );
    expect(textOf(said)).toBe('# execution none\n[assistant_message] I look.\n[tool_use Bash] ls');
    expect(textOf([])).toBe('');
  });
});
