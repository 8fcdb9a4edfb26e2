import { describe, expect, it } from '@jest/globals';
import { outputLine, turnOf } from '../../../test/support/agent-turn.js';
import { LineReader } from '../../platform/process/line-reader.js';
import { ClaudeCodeConversation } from '../claude-code/claude-code.conversation.js';
import { claudeVariant } from '../claude-code/claude-command.js';
import { AgentDriver } from './agent-driver.js';
import { cutText, localized } from './entry-text.js';
import { failureKind, type ErrorKind } from './failure.js';

const cwd = '/home/me/w';
const driver = () =>
  new AgentDriver(new ClaudeCodeConversation(turnOf({ prompt: 'do it', cwd }), claudeVariant(null)), cwd);
const result = (content: string) =>
  JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] } });

describe('output of an agent', () => {
  it('cuts a tool result of 5 MB and says so, though it came in parts', () => {
    const reader = new LineReader('stdout');
    const lines = reader.push(Buffer.from(`${result('x'.repeat(5_000_000))}\n`));
    expect(lines.length).toBeGreaterThan(70);
    const read = driver();
    const [entry, ...more] = lines.flatMap((line) => read.push(line));
    expect(more).toEqual([]);
    expect(entry!.content).toMatch(/^x+\n… 4,934,464 characters left out …\nx+$/);
    expect(entry!.content.length).toBeLessThan(66_000);
  });

  it('keeps what is no JSON, is cut, or is unknown', () => {
    const read = driver();
    expect(read.push(outputLine('npm warn'))).toEqual([
      { type: 'system_message', content: 'npm warn', metadata: { kind: 'not_json' } },
    ]);
    expect(read.push(outputLine('{"type":"assist'))).toMatchObject([{ content: '{"type":"assist' }]);
    expect(read.push(outputLine('{"type":"new_thing","a":1}'))).toEqual([
      {
        type: 'system_message',
        content: '{"type":"new_thing","a":1}',
        metadata: { kind: 'unknown_event', priority: 'low' },
      },
    ]);
    expect(read.push(outputLine('["a list"]'))).toHaveLength(1);
    expect(read.push(outputLine(''))).toEqual([]);
  });

  it('puts standard error into one entry before what follows, without colours', () => {
    const read = driver();
    expect(read.push(outputLine('\u001b[31mone\u001b[0m', 'stderr'))).toEqual([]);
    expect(read.push(outputLine('two /home/me/w/a.ts', 'stderr'))).toEqual([]);
    expect(read.push(outputLine(result('ok')))).toMatchObject([
      { content: 'one\ntwo a.ts', metadata: { stream: 'stderr', priority: 'low' } },
      { type: 'tool_result' },
    ]);
  });

  it('holds nothing that a database cannot', () => {
    const [entry] = driver().push(
      outputLine(
        `{"type":"assistant","message":{"content":[
          {"type":"tool_use","id":"t","name":"Bash","input":{"a\\u0000":"b\\u0000","c":"\\ud800"}}]}}`,
      ),
    );
    expect(entry!.metadata).toEqual({ input: { 'a\uFFFD': 'b\uFFFD', c: '\uFFFD' } });
  });

  it.each([
    [
      { exit_code: 0, signal: null, spawn_error: null },
      [],
      'the agent crashed: ended without finishing its turn',
      'crashed',
    ],
    [
      { exit_code: null, signal: 'SIGSEGV' as const, spawn_error: null },
      [],
      'the agent crashed: ended by SIGSEGV',
      'crashed',
    ],
    [
      { exit_code: null, signal: null, spawn_error: 'ENOENT' },
      [],
      'the agent crashed: could not start: ENOENT',
      'crashed',
    ],
    [
      { exit_code: 1, signal: null, spawn_error: null },
      ['Please run `x login`'],
      'not logged in: failed (exit_code=1): Please run `x login`',
      'login_missing',
    ],
  ])('calls an end without a word a failure: %j', (end, errors, failure_summary, error_kind) => {
    const read = driver();
    errors.forEach((text) => read.push(outputLine(text, 'stderr')));
    expect(read.outcome(end)).toMatchObject({
      status: 'failed',
      failure_summary,
      error: { type: 'error_message', error_kind },
    });
  });
});

describe('the kind of a failure', () => {
  it.each<[string, number | null, ErrorKind]>([
    ['Not logged in · Please run /login', null, 'login_missing'],
    ['Authentication required', null, 'login_missing'],
    ['Invalid API key · Fix external API key', 401, 'bad_key'],
    ['unexpected status 401 Unauthorized: nope', null, 'bad_key'],
    ['[API Error: 401 x]', null, 'bad_key'],
    ['Forbidden', 403, 'bad_key'],
    ['slow down', 429, 'rate_limited'],
    ['You exceeded your current quota', null, 'rate_limited'],
    ['Overloaded', 529, 'rate_limited'],
    ['Error: 429 Too Many Requests', null, 'rate_limited'],
    ['internal error', 500, 'model_error'],
    ['Connection closed mid-response', null, 'model_error'],
    ['failed at line 401', null, 'model_error'],
    ['No conversation found with session ID: 1', null, 'session_lost'],
  ])('of "%s" (%s) is %s', (text, status, kind) => expect(failureKind(text, status)).toBe(kind));
});

describe('texts of entries', () => {
  it.each([
    ['edit /home/me/w/src/a.ts now', 'edit src/a.ts now'],
    ['cd /home/me/w && make', 'cd . && make'],
    ['/home/me/w', '.'],
    ['/home/me/w/', './'],
    ['/home/me/w2/a.ts', '/home/me/w2/a.ts'],
    ['/mnt/home/me/w/a', '/mnt/home/me/w/a'],
    ['"/home/me/w/.env"', '".env"'],
  ])('%s → %s', (text, told) => expect(localized({ deep: [text] }, '/home/me/w')).toEqual({ deep: [told] }));

  it('are left alone in the root folder', () => expect(localized('/etc/hosts', '/')).toBe('/etc/hosts'));

  it('are cut between characters', () => expect(cutText('😀'.repeat(10), 5).isWellFormed()).toBe(true));
});
