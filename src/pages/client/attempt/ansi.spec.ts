import { describe, expect, it } from '@jest/globals';
import { spansOf } from './ansi.js';

const text = (line: string) =>
  spansOf(line)
    .map((span) => span.text)
    .join('');

describe('a line of a terminal', () => {
  it('has colours and weights as classes', () => {
    expect(spansOf('a \x1b[1;31mred\x1b[0m b')).toEqual([
      { text: 'a ', classes: '' },
      { text: 'red', classes: 'bold f1' },
      { text: ' b', classes: '' },
    ]);
    expect(spansOf('\x1b[38;5;9m\x1b[48;5;200mx\x1b[38;2;1;2;3my\x1b[94;100mz')).toEqual([
      { text: 'x', classes: 'f9' },
      { text: 'y', classes: 'f9' },
      { text: 'z', classes: 'f12 b8' },
    ]);
    expect(spansOf('\x1b[1mb\x1b[22;4mu\x1b[24;39;49mp').map(({ classes }) => classes)).toEqual([
      'bold',
      'underline',
      '',
    ]);
  });

  it.each([
    ['titles', '\x1b]0;evil\x07shown'],
    ['links', '\x1b]8;;http://evil.example\x1b\\shown\x1b]8;;\x1b\\'],
    ['cursor moves', '\x1b[2J\x1b[10;10Hsho\x1b[Kwn'],
    ['progress that was written over', '10 %\r50 %\rshown\r'],
    ['other controls', 'sh\x07\x08o\x00wn'],
    ['an escape that is cut off', 'shown\x1b[3'],
  ])('loses %s', (_, line) => {
    expect(text(line)).toBe('shown');
  });

  it('keeps markup as text', () => {
    expect(text('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
  });
});
