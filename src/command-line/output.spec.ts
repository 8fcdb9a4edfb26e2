import { describe, expect, it } from '@jest/globals';
import { visible } from './output.js';

const red = '\u001B[31mred\u001B[0m';

describe('text of an agent', () => {
  it.each([
    [red, true, red],
    [red, false, 'red'],
    ['\u001B]0;title\u0007', true, '␛]0;title␇'],
    ['\u001B[2J\u001B[1;1H', true, '␛[2J␛[1;1H'],
    ['safe\rover', true, 'safe␍over'],
    ['a\r\n\tb\n', true, 'a\n\tb\n'],
    ['\u009B2J\u007F', true, '<U+009B>2J␡'],
    ['user\u202Etxt.exe', true, 'user<U+202E>txt.exe'],
    ['Grüße 😀', true, 'Grüße 😀'],
  ])('%j is shown, not obeyed', (text, keepsColours, shown) => {
    expect(visible(text, keepsColours)).toBe(shown);
  });
});
