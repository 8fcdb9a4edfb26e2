import { describe, expect, it } from '@jest/globals';
import { Scrubber } from '../secrets/scrubber.js';
import { ScrubbedOutput } from './scrubbed-output.js';

describe('what a run says, as it is stored', () => {
  const output = () => new ScrubbedOutput(new Scrubber(['hunter2-and-more']));
  const message = (content: string, continues?: true) =>
    ({ type: 'assistant_message', content, ...(continues ? { continues } : {}) }) as const;

  it('hides a value in a line and in one that comes in parts', () => {
    const one = output();
    const parts = ['stdout is hunt', 'er2-and-more!'].map((text, at) =>
      one.raw({ stream: 'stdout', text, continues: at === 0 }),
    );
    expect(parts).toEqual([
      { type: 'stdout', content: 'stdout is ' },
      { type: 'stdout', content: '***!', continues: true },
    ]);
    expect(one.raw({ stream: 'stdout', text: 'hunter2-and-more', continues: false })).toEqual({
      type: 'stdout',
      content: '***',
    });
  });

  it('hides a value that an agent says piece by piece', () => {
    const one = output();
    const said = [message('it is hunt'), message('er2-and', true), message('-more, ok', true)];
    expect(said.flatMap((entry) => one.entries([entry], true))).toEqual([
      message('it is '),
      message('', true),
      message('***, ok', true),
    ]);
    expect(one.rest()).toEqual([]);
  });

  it('gives out what was held back for nothing, before the next text of its kind or at the end', () => {
    const one = output();
    expect(one.entries([message('to the h')], true)).toEqual([message('to the ')]);
    expect(one.entries([message('next h')], true)).toEqual([message('h', true), message('next ')]);
    expect(one.rest()).toEqual([message('h', true)]);
  });

  it('hides a value in what belongs to an entry', () => {
    const entry = {
      type: 'tool_use',
      content: 'run',
      tool_name: 'Bash',
      metadata: { input: 'hunter2-and-more' },
    } as const;
    expect(output().entries([entry])).toEqual([{ ...entry, metadata: { input: '***' } }]);
  });
});
