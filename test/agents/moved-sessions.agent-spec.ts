import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CLUSTER_SECRET } from '../support/server.js';
import { AgentGround } from './agent-ground.js';
import { describeEach } from './cli/installed-clis.js';

/** Those that keep each conversation in a file of its own. */
describeEach(['CLAUDE_CODE', 'CODEX', 'COPILOT', 'QWEN_CODE'], (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli, { CLUSTER_SECRET });
  });
  afterAll(() => ground?.stop());

  it('goes on in the same session on another machine', async () => {
    const { attempt_id, state } = await ground.run('edit', 'Write two files.');
    expect(state).toBe('completed');
    const session = await ground.agentSession(attempt_id as string);
    await ground.move();
    expect(await ground.followUp(attempt_id as string, 'answer', 'What was it?')).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining('What was it?'),
    });
    expect(await ground.agentSession(attempt_id as string)).toBe(session);
    const [asked] = ground.model.asked('What was it?');
    expect(asked!.earlierResults).toBeGreaterThanOrEqual(2);
    expect(asked!.whole).not.toContain('Conversation so far');
    const entries = await ground.entries(attempt_id as string);
    expect(entries.filter(({ metadata }) => metadata?.kind === 'session_lost')).toEqual([]);
  });
});

/** Gemini gives each folder a name of its machine, OpenCode keeps all conversations in one database. */
describeEach(['GEMINI', 'OPENCODE'], (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli, { CLUSTER_SECRET });
  });
  afterAll(() => ground?.stop());

  it('is told on another machine what was said', async () => {
    const { attempt_id, final_message } = await ground.run('edit', 'Write two files.');
    await ground.move();
    expect(await ground.followUp(attempt_id as string, 'answer', 'What was it?')).toMatchObject({ state: 'completed' });
    const [asked] = ground.model.asked('What was it?');
    expect(asked!.whole).toContain('Conversation so far');
    expect(asked!.whole).toContain('Write two files.');
    expect(asked!.whole).toContain(final_message as string);
    const entries = await ground.entries(attempt_id as string);
    expect(entries.filter(({ metadata }) => metadata?.kind === 'session_lost')).toHaveLength(1);
  });
});
