import { describe, expect, it } from '@jest/globals';
import { refusalIn } from './api-client.js';

const answer = (status: number, text: string) => ({ status, headers: {}, text });

describe('an answer that is not the asked one', () => {
  it('is the refusal that its envelope names', () => {
    expect(refusalIn(answer(404, '{"code":"attempt_not_found","details":{"attempt_id":"a1"}}'))).toMatchObject({
      code: 'attempt_not_found',
      details: { attempt_id: 'a1' },
    });
    expect(refusalIn(answer(401, '{"code":"unauthenticated"}'))).toMatchObject({
      code: 'unauthenticated',
      details: {},
    });
  });

  it.each([
    [200, '{"code":"attempt_not_found"}'],
    [404, '{"code":"constructor"}'],
    [404, '{"code":404}'],
    [500, 'null'],
    [502, '<html>'],
    [504, ''],
  ])('is no answer of Taskyard: %i %s', (status, text) => {
    expect(refusalIn(answer(status, text))).toMatchObject({
      code: 'api_unavailable',
      details: { reason: `the response (HTTP ${status}) is not from Taskyard` },
    });
  });
});
