import { describe, expect, it } from '@jest/globals';
import { Scrubber } from './scrubber.js';

const SECRET = 'pa/55 "wörd"+x';
const scrubber = new Scrubber([SECRET, 'short', 'first line of it\nsecond line of it']);

describe('a value of a secret', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  it.each<[string, string]>([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ said: SECRET })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ said: SECRET }))],
    ['in a path of a URL', `https://host/${encodeURIComponent(SECRET)}`],
    [
      'in a path of a URL, in lower case',
      `https://host/${encodeURIComponent(SECRET).replaceAll('%C3', '%c3')}`.toLowerCase(),
    ],
    ['in a form', new URLSearchParams({ token: SECRET }).toString()],
    ['in a query that spells spaces as %20', new URLSearchParams({ token: SECRET }).toString().replaceAll('+', '%20')],
    ['in base64', base64(SECRET)],
    ['in base64, one byte later', base64(`u${SECRET}`)],
    ['in base64, two bytes later', base64(`u:${SECRET}`)],
    ['in base64, amid other text', base64(`user:${SECRET}@host`)],
    ['in base64 of URLs', Buffer.from(`u:${SECRET}`).toString('base64url')],
  ])('is hidden %s', (_, text) => {
    const scrubbed = scrubber.text(text);
    expect(scrubbed).toContain('***');
    expect(scrubbed).not.toContain(SECRET);
    for (const piece of ['55', 'w%C3', base64(SECRET).slice(2, 12)]) expect(scrubbed).not.toContain(piece);
  });

  it('is hidden line by line', () => {
    expect(scrubber.text('a first line of it')).toBe('a ***');
    expect(scrubber.text('second line of it!')).toBe('***!');
  });

  it('of fewer than 8 characters is left alone, like everything else', () => {
    expect(scrubber.text('short and sweet')).toBe('short and sweet');
  });

  it('is hidden wherever it stands in a record', () => {
    const record = { type: 'tool_use', at: new Map([[1, 2]]).size, input: { [SECRET]: [1, null, `x ${SECRET}`] } };
    expect(scrubber.record(record)).toEqual({ type: 'tool_use', at: 1, input: { '***': [1, null, 'x ***'] } });
  });

  it('is hidden where a text comes in pieces, whatever the cut', () => {
    const whole = `before ${SECRET} after`;
    for (let cut = 1; cut < whole.length; cut += 1) {
      const pieces = [scrubber.piece('a', whole.slice(0, cut), true), scrubber.piece('a', whole.slice(cut), false)];
      expect(pieces.join('')).toBe('before *** after');
    }
    const one = [...whole].map((letter) => scrubber.piece('a', letter, true));
    expect(one.join('') + scrubber.rest('a')).toBe('before *** after');
  });

  it('is hidden in a file that is text; another one is not for keeping', () => {
    expect(scrubber.file(Buffer.from(`é ${SECRET}`))?.toString()).toBe('é ***');
    const binary = Buffer.from([0xff, 0xfe, 1]);
    expect(scrubber.file(binary)).toBe(binary);
    expect(scrubber.file(Buffer.concat([binary, Buffer.from(SECRET)]))).toBeNull();
  });

  it('holds nothing back but what a value may begin with', () => {
    expect(scrubber.piece('a', 'stop', true)).toBe('sto');
    expect(scrubber.piece('b', 'other', true)).toBe('other');
    expect(scrubber.rest('a')).toBe('p');
    expect(scrubber.rest('a')).toBe('');
  });
});

it('hides nothing where there is nothing to hide', () => {
  const nothing = new Scrubber([]);
  const record = { text: 'text' };
  expect([nothing.text('text'), nothing.record(record), nothing.piece('a', 'text', true)]).toEqual([
    'text',
    record,
    'text',
  ]);
});
