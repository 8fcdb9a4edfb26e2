import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { toEnvelope } from './error-envelope.js';
import { restNames } from './operations.js';

describe('the envelope', () => {
  it('fills text and hint with the facts, and names operations as the surface calls them', () => {
    expect(
      toEnvelope(new AppError('no_session_yet', { attempt_id: 'a1' }), (operation) => `tool_${operation}`),
    ).toEqual({
      code: 'no_session_yet',
      message: 'Attempt a1 has no session yet.',
      retryable: true,
      details: { attempt_id: 'a1' },
      hint: 'Call tool_get_attempt_status with attempt_id a1 until latest_session_id is non-null, then retry.',
    });
    expect(toEnvelope(new AppError('task_running', { task_id: 't1', attempt_id: 'a1' }), restNames).hint).toBe(
      'GET /api/attempts/a1 with wait_ms=20000 waits for it. Or call POST /api/attempts/a1/stop with attempt_id a1 ' +
        'first; then call again.',
    );
    expect(toEnvelope(new AppError('task_not_found', { task_id: 't1' }), restNames).hint).toContain(
      'GET /api/projects/{project_id}/tasks',
    );
  });

  it('joins lists, leaves out what is missing, and never reads a fact as a placeholder', () => {
    expect(
      toEnvelope(new AppError('variant_unknown', { executor: 'X', known: ['{op:nothing}', '{variant}'] }), restNames),
    ).toMatchObject({
      message: 'Executor X has no variant .',
      hint: expect.stringMatching(/^Leave variant out, or pass one of: \{op:nothing\}, \{variant\}\./),
    });
  });

  it('takes the hint of the thrower over that of the catalogue', () => {
    expect(
      toEnvelope(new AppError('invalid_argument', { summary: 'x' }, 'Use {op:stop_attempt}.'), () => 'stop').hint,
    ).toBe('Use stop.');
  });
});
