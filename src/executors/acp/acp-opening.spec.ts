import { describe, expect, it } from '@jest/globals';
import { turnOf } from '../../../test/support/agent-turn.js';
import { AcpOpening } from './acp-opening.js';
import type { AcpProfile } from './acp-profiles.js';

const profile: AcpProfile = {
  executor: 'X',
  program: 'x',
  args: [],
  env: {},
  state: { own: [] },
  variants: {},
  supports_mcp: true,
  resume: ['load'],
  auth_methods: [],
  model_hosts: [],
  install: '',
  load_name: (id) => `_${id}`,
  replays_late: true,
};

/** An opening that has asked to load the session `old`, and has begun to hear it. */
function loading(mode?: string) {
  const opening = new AcpOpening(turnOf({ prompt: 'do it', cwd: '/w', agent_session_id: 'old' }), profile, { mode });
  opening.start();
  const request = opening.next('initialize', { result: { agentCapabilities: { loadSession: true } } });
  opening.replayed();
  return { opening, request };
}

describe('the session of an agent that replays late and is loaded under another name', () => {
  it('is known by its id, and called by that name', () => {
    const { opening, request } = loading();
    expect(request).toMatchObject({ method: 'session/load', params: { sessionId: '_old' } });
    opening.next('session/load', { result: {} });
    expect([opening.sessionId, opening.sessionName, opening.resumedBy]).toEqual(['old', '_old', 'session/load']);
  });

  it.each([
    [undefined, 'default'],
    ['plan', 'plan'],
  ])('is ready when the wanted mode %s is set, though it has it', (mode, modeId) => {
    const { opening } = loading(mode);
    const request = opening.next('session/load', { result: { modes: { currentModeId: modeId } } });
    expect([request, opening.isReady]).toEqual([
      { method: 'session/set_mode', params: { sessionId: '_old', modeId } },
      false,
    ]);
    expect(opening.next('session/set_mode', { result: {} })).toMatchObject({
      method: 'session/prompt',
      params: { sessionId: '_old', prompt: [{ text: 'do it' }] },
    });
    expect(opening.isReady).toBe(true);
  });

  it('is ready at once where the agent knows no modes', () => {
    const { opening } = loading();
    expect(opening.next('session/load', { result: {} })).toMatchObject({ method: 'session/prompt' });
    expect(opening.isReady).toBe(true);
  });

  it('has its own name again where it cannot be loaded', () => {
    const { opening } = loading();
    expect(opening.next('session/load', { error: { message: 'gone' } })).toMatchObject({ method: 'session/new' });
    expect(
      opening.next('session/new', { result: { sessionId: 'new', modes: { currentModeId: 'default' } } }),
    ).toMatchObject({ method: 'session/prompt', params: { sessionId: 'new' } });
    expect([opening.sessionId, opening.isReady]).toEqual(['new', true]);
  });
});
