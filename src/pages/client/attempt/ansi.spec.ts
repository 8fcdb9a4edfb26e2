import { describe, expect, it } from '@jest/globals';
import { plainText, spansOf } from './ansi.js';

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
      { text: 'x', classes: 'f9 b13' },
      { text: 'y', classes: 'f0 b13' },
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

  it.each([
    ['38;5;196', 'f9'],
    ['38;5;28', 'f2'],
    ['38;5;240', 'f8'],
    ['38;5;255', 'f15'],
    ['38;2;255;140;0', 'f11'],
    ['38;2;90;160;255', 'f14'],
    ['48;2;40;40;40', 'b0'],
  ])('shows the colour %s as the nearest of sixteen', (code, classes) => {
    expect(spansOf(`\x1b[${code}mx`)).toEqual([{ text: 'x', classes }]);
  });

  it('is plain without its colours', () => {
    expect(plainText('a\n\x1b[31mred\x1b[0m\nold\rnew')).toBe('a\nred\nnew');
  });

  it('keeps markup as text', () => {
    expect(text('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
  });
});
