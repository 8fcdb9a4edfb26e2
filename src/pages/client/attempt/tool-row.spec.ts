import { describe, expect, it } from '@jest/globals';
import { rowOf } from './tool-row.js';

describe('a call of a tool', () => {
  it.each([
    [
      { tool_name: 'Bash', content: 'npm test\n# twice' },
      { icon: 'run', verb: 'Run', what: 'npm test' },
    ],
    [
      { tool_name: 'Read', content: 'Read', metadata: { input: { file_path: '/data/worktrees/1f/web/a.ts' } } },
      { icon: 'read', verb: 'Read', what: 'web/a.ts' },
    ],
    [
      { tool_name: 'edit', content: 'Write a.ts', metadata: { input: { path: 'a.ts' }, paths: ['/x/a.ts'] } },
      { icon: 'edit', verb: 'Edit', what: 'a.ts' },
    ],
    [
      { tool_name: 'jira.find', content: 'find it' },
      { icon: 'tool', verb: 'jira.find', what: 'find it' },
    ],
    [
      { tool_name: 'Grep', content: '\x1b[31mTODO\x1b[0m' },
      { icon: 'search', verb: 'Search', what: 'TODO' },
    ],
  ])('%j says what it does, and to what', (call, row) => {
    expect(rowOf(call)).toMatchObject(row);
  });

  it.each([
    ['an edit', { old_string: 'a\nb', new_string: 'a\nb\nc\n' }, [3, 2]],
    ['edits', { edits: [{ old_string: 'a', new_string: 'b' }, { new_string: 'c' }] }, [2, 1]],
    ['a new file', { content: 'one\ntwo\n' }, [2, 0]],
    ['a patch', { changes: [{ diff: '--- a\n+++ b\n@@\n-x\n+y\n+z' }] }, [2, 1]],
    ['a command', { command: 'ls' }, [0, 0]],
  ])('counts the lines of %s', (_, input, lines) => {
    const { added, deleted } = rowOf({ tool_name: 'Edit', content: 'x', metadata: { input } });
    expect([added, deleted]).toEqual(lines);
  });
});
