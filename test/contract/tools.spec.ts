import { describe, expect, it } from '@jest/globals';
import { type ToolsetView, ToolsetCatalogue } from '../../src/mcp/catalogue/toolset-catalogue.js';
import { toolRuleViolations } from '../support/tool-rules.js';
import { type SchemaProfile, schemaProfiles } from '../../src/platform/fields/schema-profiles.js';
import { toolsets } from '../../src/toolsets/toolsets.js';
import { expectAcceptedFolder, sortedJson } from '../support/accepted-file.js';
import { mergePatch } from '../support/merge-patch.js';
import { everyChoice } from '../support/view-choices.js';

/** What agents see besides the tools themselves. */
const surface = (view: ToolsetView) => ({
  instructions: view.instructions.split('\n'),
  tools: view.published.map(({ name }) => name),
  prompts: [...view.prompts.values()].map(({ opening, ...shown }) => ({
    ...shown,
    opening: opening(Object.fromEntries(shown.arguments.map(({ name }) => [name, `{${name}}`]))),
  })),
});

const readable = (json: string): object => JSON.parse(json) as object;

describe.each(toolsets.map((toolset) => [toolset.id, toolset] as const))('the toolset %s', (id, toolset) => {
  const catalogue = new ToolsetCatalogue(toolset);

  /** As an endpoint shows them that is bound to no attempt, with a forge; then what only bound ones and runs find. */
  const published = (profile: SchemaProfile) => {
    const plain = catalogue.view({ profile, readonly: false, bound: false, hasForge: true, hasChecks: true }).published;
    const bound = { profile, readonly: false, bound: true, hasForge: true, hasChecks: true };
    const others = [catalogue.view(bound), catalogue.view({ ...bound, run: 'attempts' as const })].flatMap(
      (view) => view.published,
    );
    const names = new Set<string>();
    return [...plain, ...others].filter(({ name }) => !names.has(name) && names.add(name));
  };

  it('keeps every house rule for tools', () => {
    expect(published('portable')).toHaveLength(toolset.tools.length);
    expect(toolRuleViolations(toolset)).toEqual([]);
  });

  it('has every view, also those that no start renders', () => {
    for (const choice of everyChoice) expect([...catalogue.view(choice).lists.values()].map(readable)).toHaveLength(4);
  });

  it('publishes the tools, schemas and texts that were accepted', () => {
    const tools = published('portable').map((tool) => [`${tool.name}.json`, sortedJson(tool)]);
    const others = schemaProfiles.flatMap((profile) =>
      published(profile).flatMap((tool, at) => {
        const patch = mergePatch(published('portable')[at], tool);
        return patch === undefined ? [] : [[`${tool.name}.${profile}.json`, sortedJson(patch)]];
      }),
    );
    const resources = [
      ...catalogue.view({ profile: 'portable', readonly: false, bound: false }).resources.values(),
    ].map(({ name, text }) => [`resources/${name}.md`, text]);
    const views = {
      all: { readonly: false, bound: false },
      forge: { readonly: false, bound: false, hasForge: true },
      bound: { readonly: false, bound: true },
      readonly: { readonly: true, bound: false },
      run: { readonly: false, bound: true, run: 'own' as const },
    };
    const surfaces = Object.entries(views).map(([name, choice]) => [
      `surface/${name}.json`,
      sortedJson(surface(catalogue.view({ profile: 'portable', ...choice }))),
    ]);
    expectAcceptedFolder(
      `test/contract/snapshots/tools/${id}`,
      Object.fromEntries([...tools, ...others, ...surfaces, ...resources]) as Record<string, string>,
    );
  });
});
