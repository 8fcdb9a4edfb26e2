import { describe, expect, it } from '@jest/globals';
import { canonicalHost, hostRuleText, isListed, parseHostRule } from './host-rule.js';

const rules = (...texts: string[]) => texts.map((text) => parseHostRule(text)!);

describe('a rule for hosts', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    [' API.Example.com. ', 'api.example.com'],
    ['*.Example.com', '*.example.com'],
    ['example.com:8443', 'example.com:8443'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['127.1', '127.0.0.1'],
    ['0x7f000001:80', '127.0.0.1:80'],
    ['[2606:4700::0001]:8080', '[2606:4700::1]:8080'],
    ['[2606:4700::1]', '[2606:4700::1]'],
  ])('%s is read as %s', (text, canonical) => {
    expect(hostRuleText(parseHostRule(text)!)).toBe(canonical);
  });

  it.each([
    '',
    '*',
    '*.',
    '*.10.0.0.1',
    'a.*.example',
    'https://example.com',
    'example.com/path',
    'user@example.com',
    'example.com:0',
    'example.com:65536',
    'example.com:http',
    'ex ample.com',
    'example.com#x',
    'exa%6dple.com',
    '2606:4700::1',
    '[example.com]',
    `${'a'.repeat(64)}.`.repeat(5),
  ])('"%s" is none', (text) => {
    expect(parseHostRule(text)).toBeNull();
  });

  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'example.com', 80, true],
    ['example.com', 'example.com', 22, false],
    ['example.com:22', 'example.com', 22, true],
    ['example.com:22', 'example.com', 443, false],
    ['example.com', 'a.example.com', 443, false],
    ['*.example.com', 'a.example.com', 443, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'badexample.com', 443, false],
    ['10.0.0.1', '10.0.0.1', 80, true],
    ['[::1]', '::1', 80, true],
  ])('%s lists %s:%i or not', (rule, host, port, expected) => {
    expect(isListed(rules('other.example', rule), host, port)).toBe(expected);
  });

  it.each([
    ['EXAMPLE.com.', 'example.com'],
    ['2130706433', '127.0.0.1'],
    ['[::FFFF:7f00:1]', '::ffff:7f00:1'],
    ['example.com:1', null],
    ['example.com:80', null],
    ['[::1]:80', null],
    ['a\\b', null],
  ])('compares the host %s as %s', (text, canonical) => {
    expect(canonicalHost(text)).toBe(canonical);
  });
});
