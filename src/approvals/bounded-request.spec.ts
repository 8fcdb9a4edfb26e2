import { describe, expect, it } from '@jest/globals';
import { boundedRequest } from './bounded-request.js';

const request = { tool_call: 'call-1', tool_name: 'Bash', summary: 'rm -r build', input: { command: 'rm -r build' } };

describe('what is kept of an approval request (S13)', () => {
  it('is all of it, as a rule', () => {
    expect(boundedRequest(request)).toEqual(request);
    expect(boundedRequest({ ...request, tool_call: null }).tool_call).toBeNull();
  });

  it.each([
    ['plain text', 'x'],
    ['what JSON escapes', '"\\'],
    ['characters of several bytes', '日本🙂'],
  ])('is the marked beginning where the arguments are endless: %s', (_, text) => {
    const command = text.repeat(200_000);
    const { input } = boundedRequest({ ...request, input: { command } });
    expect(input).toEqual({
      is_truncated: true,
      total_bytes: Buffer.byteLength(JSON.stringify({ command })),
      beginning: expect.stringMatching(/^\{"command":"/),
    });
    expect(Buffer.byteLength(JSON.stringify(input))).toBeLessThanOrEqual(64 * 1024);
  });

  it('is the beginning of an endless line', () => {
    const { summary, tool_name } = boundedRequest({
      ...request,
      summary: 's'.repeat(99_999),
      tool_name: 't'.repeat(9e5),
    });
    for (const line of [summary, tool_name]) expect(line).toMatch(/^.{2000}… \(truncated\)$/);
  });
});
