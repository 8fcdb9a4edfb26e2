import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { expectAccepted } from '../../test/support/accepted-file.js';
import {
  conversationTurns,
  plainTurn,
  transcriptNames,
  type Message,
  type RecordedTurn,
} from '../../test/support/transcripts.js';
import { LineReader, maxLineBytes } from '../platform/process/line-reader.js';
import type { OutputLine } from '../platform/process/process-types.js';
import { requestMessage as acpRequest, type AcpMethod } from './acp/acp-messages.js';
import { acpProfiles } from './acp/acp-profiles.js';
import { AcpConversation } from './acp/acp.conversation.js';
import { AgentDriver } from './agent/agent-driver.js';
import { errorKinds } from './agent/failure.js';
import { UsageMeter } from './agent/usage.js';
import { ClaudeCodeConversation } from './claude-code/claude-code.conversation.js';
import { claudeVariant } from './claude-code/claude-command.js';
import { type CodexMethod, requestMessage as codexRequest, codexVariant } from './codex/codex-opening.js';
import { CodexConversation } from './codex/codex.conversation.js';
import type { Driver, Turn } from './executor.js';
import type { NormalizedEntry } from './log-entry.js';

/** None of the recorded conversations waited for a late replay. */
const recordedProfile = acpProfiles.find(({ replays_late }) => !replays_late)!;

const acp = {
  ourId: (method: string) => acpRequest({ method: method as AcpMethod, params: {} }).id,
  isPrompt: ({ method }: Message) => method === 'session/prompt',
  resume: ['session/resume', 'session/load'],
};
const codex = {
  ourId: (method: string) => codexRequest({ method: method as CodexMethod, params: {} }).id,
  isPrompt: ({ method }: Message) => method === 'turn/start',
  resume: ['thread/resume'],
};
/** Spoken over the pipe, without ids of ours. */
const claude = { ourId: () => undefined, isPrompt: ({ type }: Message) => type === 'user', resume: [] };

const turnOf = (agent_session_id: string | null): Turn => ({
  prompt: 'x',
  isTaskText: false,
  task: { title: 'x', description: null },
  variant: null,
  agent_session_id,
  cwd: '<WORKSPACE>',
});
const drivers: Record<string, (turn: Turn) => Driver> = {
  'claude-code': (turn) => new AgentDriver(new ClaudeCodeConversation(turn, claudeVariant(null)), turn.cwd),
  codex: (turn) => new AgentDriver(new CodexConversation(turn, codexVariant(null)), turn.cwd),
  acp: (turn) => new AgentDriver(new AcpConversation(turn, recordedProfile, {}), turn.cwd),
};

function recorded(executor: string, name: string): RecordedTurn[] {
  if (executor === 'acp') return conversationTurns(executor, name, acp);
  if (executor === 'codex') return conversationTurns(executor, name, codex);
  return name === 'claude-bidi' ? conversationTurns(executor, name, claude) : [plainTurn(executor, name)];
}

const all = Object.keys(drivers).flatMap((executor) =>
  transcriptNames(executor).map((name) => ({ executor, name, turns: recorded(executor, name) })),
);
const everyTurn = all.flatMap(({ executor, turns }) => turns.map((turn) => ({ executor, ...turn })));

function play(executor: string, { lines, end, resumes }: RecordedTurn) {
  const driver = drivers[executor]!(turnOf(resumes));
  const entries = [...lines.flatMap((line) => driver.push(line)), ...driver.flush()];
  return {
    agent_session_id: driver.agentSessionId,
    final_message: driver.finalMessage,
    outcome: driver.outcome(end),
    entries,
  };
}

function usageOf(turn: RecordedTurn & { executor: string }) {
  const meter = new UsageMeter();
  meter.read(play(turn.executor, turn).entries);
  return meter.total;
}

function pushed(executor: string, resumes: string | null, lines: readonly OutputLine[]): NormalizedEntry[] {
  const driver = drivers[executor]!(turnOf(resumes));
  return lines.flatMap((line) => driver.push(line));
}

describe('recorded agents', () => {
  it.each(all)('$name reads as accepted', ({ executor, name, turns }) => {
    const told = turns.map((turn) => ({ turn: turn.name, ...play(executor, turn) }));
    expectAccepted(`test/fixtures/transcripts/${executor}/${name}.entries.json`, `${JSON.stringify(told, null, 2)}\n`);
  });

  it('ends as accepted, every one', () => {
    const states = Object.fromEntries(
      everyTurn.map((turn) => {
        const { outcome, entries } = play(turn.executor, turn);
        const error = [...entries, ...(outcome.error ? [outcome.error] : [])].findLast(
          ({ type }) => type === 'error_message',
        );
        return [
          turn.name,
          {
            exit: turn.end.exit_code ?? turn.end.signal,
            status: outcome.status,
            failure_summary: outcome.failure_summary,
            error_kind: error?.error_kind ?? null,
          },
        ];
      }),
    );
    expectAccepted('test/fixtures/transcripts/states.json', `${JSON.stringify(states, null, 2)}\n`);
  });

  it('has used what it said in each turn, as accepted; a figure that nobody told is none', () => {
    const used = Object.fromEntries(everyTurn.map((turn) => [turn.name, usageOf(turn)]));
    expectAccepted('test/fixtures/transcripts/usage.json', `${JSON.stringify(used, null, 2)}\n`);
  });

  it.each([
    ['Codex counts for the thread, over its processes', 'codex-appserver', [360, null]],
    ['Codex over ACP counts for the turn', 'acp-codex', [360, 360, 120, 120, null]],
    ['Claude counts for the turn, and its cost for the process', 'acp-claude', [303, 303, 100, null, null]],
    ['Gemini counts for the turn', 'acp-gemini', [300, 300, null, null, null]],
    ['Qwen counts for each call of the model', 'acp-qwen', [300, 300, null, 200, null]],
    ['OpenCode counts for the turn', 'acp-opencode', [100, 100, 100, null, null]],
  ])('%s: no turn has those of another', (_, name, input) => {
    const turns = everyTurn.filter((turn) => turn.name.startsWith(`${name}.`));
    expect(turns.map((turn) => usageOf(turn)?.input_tokens ?? null)).toEqual(input);
  });

  it.each(everyTurn)(
    '$name: calls and results are joined, errors have a kind, no path of the machine is told',
    (turn) => {
      const { entries, outcome } = play(turn.executor, turn);
      const calls = entries.filter(({ type }) => type === 'tool_use').map(({ tool_call }) => tool_call);
      expect(new Set(calls).size).toBe(calls.length);
      for (const { tool_call } of entries.filter(({ type }) => type === 'tool_result'))
        expect(calls).toContain(tool_call);
      for (const { error_kind } of entries.filter(({ type }) => type === 'error_message'))
        expect(errorKinds).toContain(error_kind);
      expect(JSON.stringify(entries)).not.toContain('<WORKSPACE>/');
      expect(outcome.status === 'failed').toBe(outcome.failure_summary !== null);
    },
  );

  it.each([
    ['claude-noperm', 'denied'],
    ['claude-hang-sigint', 'crashed'],
    ['claude-sigint', null],
    ['acp-copilot.5', 'bad_key'],
    ['acp-qwen.5', 'bad_key'],
    ['acp-gemini.4', null],
    ['codex-appserver.2', null],
  ])('%s exited with 0 and did not complete', (name, kind) => {
    const turn = everyTurn.find((one) => one.name === name)!;
    const { outcome, entries } = play(turn.executor, turn);
    expect(turn.end.exit_code).toBe(0);
    expect(outcome.status).toBe('failed');
    expect((outcome.error ?? entries.findLast(({ type }) => type === 'error_message'))?.error_kind ?? null).toBe(kind);
  });
});

describe('any stream', () => {
  const anyTurn = fc.constantFrom(...everyTurn);
  const outputOf = (turn: RecordedTurn): Buffer =>
    Buffer.from(
      turn.lines
        .filter(({ stream }) => stream === 'stdout')
        .map(({ text }) => `${text}\n`)
        .join(''),
    );

  it('gives the same entries however its bytes are cut', () => {
    fc.assert(
      fc.property(
        anyTurn,
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 64, max: maxLineBytes }),
        ({ executor, resumes, ...turn }, size, lineBytes) => {
          const bytes = outputOf({ ...turn, resumes });
          const whole = new LineReader('stdout');
          const cut = new LineReader('stdout', lineBytes);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const expected = pushed(executor, resumes, [...whole.push(bytes), ...whole.end()]);
          expect(pushed(executor, resumes, [...chunks.flatMap((chunk) => cut.push(chunk)), ...cut.end()])).toEqual(
            expected,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives a prefix of the entries for a prefix of the lines', () => {
    fc.assert(
      fc.property(anyTurn, fc.nat(), ({ executor, resumes, lines }, at) => {
        const expected = pushed(executor, resumes, lines);
        const some = pushed(executor, resumes, lines.slice(0, at % (lines.length + 1)));
        expect(some).toEqual(expected.slice(0, some.length));
      }),
      { numRuns: 200 },
    );
  });

  it('is never fatal: lines of any JSON, or of none', () => {
    const message = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .record({
          type: fc.constantFrom('assistant', 'user', 'result', 'system'),
          message: fc.jsonValue(),
          subtype: fc.string(),
        })
        .map((one) => JSON.stringify(one)),
      fc
        .record({
          method: fc.constantFrom('session/update', 'item/completed', 'turn/completed', 'session/request_permission'),
          params: fc.jsonValue(),
        })
        .map((one) => JSON.stringify(one)),
      fc.record({ id: fc.integer({ min: 1, max: 7 }), result: fc.jsonValue() }).map((one) => JSON.stringify(one)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(drivers)), fc.array(message, { maxLength: 20 }), (executor, texts) => {
        const driver = drivers[executor]!(turnOf('s'));
        const entries = texts.flatMap((text) => driver.push({ stream: 'stdout', text, continues: false }));
        expect([...entries, ...driver.flush()].every(({ content }) => typeof content === 'string')).toBe(true);
        expect(['completed', 'failed']).toContain(
          driver.outcome({ exit_code: 0, signal: null, spawn_error: null }).status,
        );
      }),
      { numRuns: 300 },
    );
  });
});
