import { describe, expect, it } from '@jest/globals';
import { everyChoice } from '../../../test/support/view-choices.js';
import { sampleToolset } from '../../../test/support/sample-toolset.js';
import { ToolsetCatalogue } from './toolset-catalogue.js';

const catalogue = new ToolsetCatalogue(sampleToolset);
const names = (choice: { readonly?: boolean; bound?: boolean }) => [
  ...catalogue.view({ profile: 'portable', readonly: false, bound: false, ...choice }).tools.keys(),
];

describe('the views of a toolset', () => {
  it('list the tools in workflow order, those that need an attempt only where one is bound', () => {
    expect(names({})).toEqual(['list_notes', 'write_note']);
    expect(names({ bound: true })).toEqual(['list_notes', 'write_note', 'get_context']);
  });

  it('list only tools that change nothing where the URL says readonly', () => {
    expect(names({ readonly: true, bound: true })).toEqual(['list_notes', 'get_context']);
  });

  it('name in their instructions and prompts only what they list', () => {
    const whole = catalogue.view({ profile: 'flat', readonly: false, bound: false });
    const readonly = catalogue.view({ profile: 'flat', readonly: true, bound: false });
    expect(whole.instructions).toContain('- write_note: when you have something to keep.');
    expect([...whole.prompts.keys()]).toEqual(['keep_notes']);
    expect(readonly.instructions).not.toContain('write_note');
    expect([...readonly.prompts.keys()]).toEqual([]);
  });

  it('differ by profile in the shape of the union, which flat ones have in words', () => {
    const [portable, oneof, flat] = (['portable', 'oneof', 'flat'] as const).map(
      (profile) => catalogue.view({ profile, readonly: false, bound: false }).published[1]?.inputSchema,
    );
    const { if: _, then, ...base } = portable as { if: object; then: { oneOf: object[] }; required: string[] };
    expect(flat?.required).toEqual(base.required);
    expect(JSON.stringify(flat)).toContain('Required when action is add or replace.');
    expect(JSON.stringify(portable)).not.toContain('Required when');
    expect(oneof).toEqual({ ...base, oneOf: then.oneOf });
  });

  it('hold the list results ready, without what is not for the wire', () => {
    const { lists, published } = catalogue.view({ profile: 'portable', readonly: false, bound: false });
    expect(JSON.parse(lists.get('tools/list')!)).toEqual({ tools: JSON.parse(JSON.stringify(published)) });
    expect(JSON.parse(lists.get('prompts/list')!)).toEqual({
      prompts: [
        {
          name: 'keep_notes',
          title: 'Keep notes',
          description: expect.any(String),
          arguments: sampleToolset.prompts?.[0]?.arguments,
        },
      ],
    });
    expect(JSON.parse(lists.get('resources/list')!).resources.map((resource: { uri: string }) => resource.uri)).toEqual(
      ['taskyard://guide/notes', 'taskyard://errors'],
    );
    expect(lists.get('resources/list')).not.toContain('"text":');
  });

  it('have one view for every combination, always the same; those of plain callers stand from the start', () => {
    const fresh = new ToolsetCatalogue(sampleToolset);
    expect(fresh.views).toHaveLength(6);
    for (const choice of everyChoice) expect(fresh.view(choice)).toBe(fresh.view({ ...choice }));
    expect(fresh.views).toHaveLength(144);
  });
});
