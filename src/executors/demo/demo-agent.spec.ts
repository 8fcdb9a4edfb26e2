import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { playTurn, turnOf } from '../../../test/support/agent-turn.js';
import { AcpAdapter } from '../acp/acp.adapter.js';
import type { PermissionRequest } from '../executor.js';
import { ProgramFinder } from '../find-program.js';
import { demoProfile } from './demo-profile.js';

describe('the demo agent', () => {
  let root: string;
  let cwd: string;
  let demo: AcpAdapter;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'demo-agent-')));
    cwd = path.join(root, 'workspace');
    mkdirSync(cwd);
    demo = new AcpAdapter(
      demoProfile(path.join(root, 'state'), null),
      new ProgramFinder({}, () => Promise.resolve(null)),
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const play = (
    prompt: string,
    more: Partial<Parameters<typeof turnOf>[0]> = {},
    options: Parameters<typeof playTurn>[2] = {},
  ) => playTurn(demo, turnOf({ prompt, cwd, ...more }), options);
  const fileAt = (name: string): string => readFileSync(path.join(cwd, name), 'utf8');

  it('appends a plain sentence to the notes', async () => {
    const { entries, outcome, final_message } = await play('Please make\nthe tests green');
    expect(fileAt('AGENT_NOTES.md')).toBe('- turn 1: Please make the tests green\n');
    expect(entries).toEqual([
      {
        type: 'tool_use',
        content: 'Append to AGENT_NOTES.md',
        tool_call: 'call_1_1',
        tool_name: 'edit',
        metadata: { kind: 'edit', input: { path: 'AGENT_NOTES.md' }, paths: ['AGENT_NOTES.md'] },
      },
      {
        type: 'tool_result',
        content: 'edited AGENT_NOTES.md',
        tool_call: 'call_1_1',
        tool_name: 'edit',
        metadata: { status: 'completed', paths: ['AGENT_NOTES.md'] },
      },
      { type: 'assistant_message', content: 'Done (turn 1).' },
    ]);
    expect([outcome, final_message]).toEqual([{ status: 'completed', failure_summary: null }, 'Done (turn 1).']);
  });

  it('plays directives in their order', async () => {
    const { entries } = await play(
      [
        'think about it',
        'plan read; write',
        'say Hello there',
        'write a/b.txt <<< one\\ntwo',
        'append a/b.txt <<< three',
        'run cat a/b.txt; exit 3',
        'sleep 0',
      ].join('\n'),
    );
    expect(fileAt('a/b.txt')).toBe('one\ntwo\nthree\n');
    expect(entries.map(({ type, content }) => [type, content])).toEqual([
      ['thinking', 'about it'],
      ['plan', '[ ] read\n[ ] write'],
      ['assistant_message', 'Hello there'],
      ['tool_use', 'Write a/b.txt'],
      ['tool_result', 'edited a/b.txt'],
      ['tool_use', 'Append to a/b.txt'],
      ['tool_result', 'edited a/b.txt'],
      ['tool_use', 'cat a/b.txt; exit 3'],
      ['tool_result', 'exit 3\none\ntwo\nthree\n'],
      ['assistant_message', 'Done (turn 1).'],
    ]);
  });

  it('says the same for the same prompt', async () => {
    const [first, second] = [await play('run echo hi'), await play('run echo hi')];
    expect(second.entries).toEqual(first.entries);
  });

  it('fails with the words of the prompt', async () => {
    const { outcome, entries } = await play('say so far\nfail the tests are red');
    expect(outcome).toEqual({
      status: 'failed',
      failure_summary: 'the model failed: the tests are red',
      cause: { class: 'unknown', resets_at: null },
    });
    expect(entries.at(-1)).toEqual({
      type: 'error_message',
      content: 'the tests are red',
      error_kind: 'model_error',
      metadata: { retryable: false },
    });
  });

  it('goes on with its session in another process', async () => {
    const { agent_session_id } = await play('first');
    const second = await play('second', { agent_session_id });
    expect(second.agent_session_id).toBe(agent_session_id);
    expect(second.entries[0]).toMatchObject({ metadata: { kind: 'session_resumed' } });
    expect(fileAt('AGENT_NOTES.md')).toBe('- turn 1: first\n- turn 2: second\n');
  });

  it('goes on by load where resume is not wanted, and the replay is not told again', async () => {
    const { agent_session_id } = await play('say first');
    const loading = new AcpAdapter(
      { ...demoProfile(path.join(root, 'state'), null), resume: ['load'] },
      new ProgramFinder({}, () => Promise.resolve(null)),
    );
    const { entries } = await playTurn(loading, turnOf({ prompt: 'say second', cwd, agent_session_id }));
    expect(entries.map(({ content }) => content)).toEqual([
      "Went on with the agent's session by session/load.",
      'second\nDone (turn 2).',
    ]);
  });

  it('starts anew where the session is lost, and says so', async () => {
    const { entries, agent_session_id, outcome } = await play('say hi', {
      agent_session_id: 'gone',
      transcript: 'user: hello',
    });
    expect(entries[0]).toMatchObject({ type: 'system_message', metadata: { kind: 'session_lost' } });
    expect(entries[0]!.content).toContain('with the conversation so far');
    expect(agent_session_id).not.toBe('gone');
    expect(outcome.status).toBe('completed');
  });

  it('asks before it runs a command, and takes a no', async () => {
    const asked: PermissionRequest[] = [];
    const decide = (request: PermissionRequest) => {
      asked.push(request);
      return { allow: false as const, reason: 'no' };
    };
    const { outcome, entries } = await play('ask touch made', { variant: 'APPROVALS' }, { decide });
    expect(asked).toEqual([
      { tool_call: 'call_1_1', tool_name: 'execute', summary: 'touch made', input: { command: 'touch made' } },
    ]);
    expect(existsSync(path.join(cwd, 'made'))).toBe(false);
    expect(outcome.status).toBe('failed');
    expect(entries.at(-1)).toMatchObject({ error_kind: 'denied' });
    await play('ask touch made');
    expect(existsSync(path.join(cwd, 'made'))).toBe(true);
  });

  it.each(['../out.txt', '/etc/out.txt', '.git/hooks/x', 'link/out.txt', 'dangling', '.'])(
    'does not write to %s',
    async (name) => {
      symlinkSync(root, path.join(cwd, 'link'));
      symlinkSync(path.join(root, 'made-by-link'), path.join(cwd, 'dangling'));
      const { entries } = await play(`write ${name} <<< x`);
      expect(entries.find(({ type }) => type === 'tool_result')).toMatchObject({ metadata: { status: 'failed' } });
      expect(existsSync(path.join(root, 'out.txt')) || existsSync(path.join(root, 'made-by-link'))).toBe(false);
    },
  );

  it.each(['sleep 600', 'run sleep 600', 'run sh -c "trap \\"\\" INT TERM; sleep 600"'])(
    'ends %s at a cancel',
    async (prompt) => {
      writeFileSync(path.join(cwd, 'x'), '');
      const { outcome } = await play(`plan go\n${prompt}`, {}, { stopAt: ({ type }) => type === 'plan' });
      expect(outcome).toEqual({
        status: 'failed',
        failure_summary: 'interrupted',
        cause: { class: 'final', resets_at: null },
      });
    },
  );
});
