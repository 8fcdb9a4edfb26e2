import { describe, expect, it } from '@jest/globals';
import { AcpToolCalls } from './acp-tool-calls.js';

describe('tool calls of a turn', () => {
  it('tells a call at a pause once its arguments are there', () => {
    const calls = new AcpToolCalls();
    calls.update({ toolCallId: 't', status: 'pending', title: 'bash', kind: 'execute', rawInput: { cwd: '.' } });
    expect(calls.announceFilledIn()).toEqual([]);
    calls.update({ toolCallId: 't', rawInput: { cwd: '.', command: 'make' } });
    expect(calls.announceFilledIn()).toMatchObject([{ type: 'tool_use', content: 'make', tool_call: 't' }]);
    expect(calls.announceFilledIn()).toEqual([]);
  });

  it.each([
    ['Create file', 'Create file: a/b.txt'],
    ['Writing to b.txt', 'Writing to b.txt'],
    ['', 'edit: a/b.txt'],
  ])('says of a change titled "%s" which file it is about', (title, content) => {
    const update = { toolCallId: 't', status: 'in_progress', title, kind: 'edit', locations: [{ path: 'a/b.txt' }] };
    expect(new AcpToolCalls().update(update)).toMatchObject([{ type: 'tool_use', content }]);
  });

  it('names no files of a call that only reads', () => {
    const update = {
      toolCallId: 't',
      status: 'in_progress',
      title: 'Look',
      kind: 'read',
      locations: [{ path: 'a/b.txt' }],
    };
    expect(new AcpToolCalls().update(update)).toMatchObject([{ content: 'Look', metadata: { paths: ['a/b.txt'] } }]);
  });
});
