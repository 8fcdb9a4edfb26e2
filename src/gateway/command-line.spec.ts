import { describe, expect, it } from '@jest/globals';
import { CommandLineError, parseCommandLine } from './command-line.js';

describe('the command line', () => {
  it('asks for the kanban toolset where nothing else is said', () => {
    expect(parseCommandLine(['mcp', '--stdio'])).toEqual({ toolset: 'kanban', query: {} });
  });

  it('says what the address of the endpoint would say', () => {
    expect(
      parseCommandLine(['--stdio', 'mcp', '--toolset=colibri', '--readonly', '--schema', 'flat', '--attempt-id', '']),
    ).toEqual({
      toolset: 'colibri',
      query: { readonly: 'true', schema: 'flat', attempt_id: '' },
    });
  });

  it.each([
    [[]],
    [['mcp']],
    [['--stdio']],
    [['mcp', 'mcp', '--stdio']],
    [['mcp', '--stdio', '--port', '1']],
    [['mcp', '--stdio', '--schema']],
  ])('refuses %j in one line that shows the usage', (args) => {
    expect(() => parseCommandLine(args)).toThrow(CommandLineError);
    expect(() => parseCommandLine(args)).toThrow(/^taskyard: [^\n]+; usage: taskyard mcp --stdio [^\n]+$/);
  });
});
