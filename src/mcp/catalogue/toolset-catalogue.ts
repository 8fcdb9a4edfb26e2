import { type SchemaProfile, schemaProfiles } from '../../platform/fields/schema-profiles.js';
import { isForRuns, type PromptDefinition, type Toolset } from '../tool.js';
import { type GuideResource, guideResources } from './guide-resources.js';
import { promptsFor } from './loop-prompt.js';
import { entriesOf, type PublishedTool, publishTool, requireUniqueNames, type ToolEntry } from './published-tool.js';
import { serverInstructions } from './server-instructions.js';

/** Options that the URL of an endpoint selects. */
export interface ViewChoice {
  profile: SchemaProfile;
  /** Only tools that change nothing. */
  readonly: boolean;
  /** An attempt is bound, so tools that need one are listed. */
  bound: boolean;
  /** A run calls, so only tools for runs are listed. */
  run?: boolean;
}

/** One toolset as one kind of URL shows it; immutable and the same for every caller. */
export interface ToolsetView {
  toolset: Toolset;
  /** Listed tools by name, in workflow order. */
  tools: ReadonlyMap<string, ToolEntry>;
  /** Tools that are not listed because a run calls: it is refused them, as everywhere. */
  withheld: ReadonlySet<string>;
  published: readonly PublishedTool[];
  instructions: string;
  prompts: ReadonlyMap<string, PromptDefinition>;
  resources: ReadonlyMap<string, GuideResource>;
  /** Results of the list methods as JSON, by method. */
  lists: ReadonlyMap<string, string>;
}

/** Every view of one toolset, computed from its classes alone: no container, no database. */
export class ToolsetCatalogue {
  private readonly byChoice = new Map<string, ToolsetView>();

  constructor(readonly toolset: Toolset) {
    requireUniqueNames(toolset);
    const flags = [false, true];
    const choices = schemaProfiles.flatMap((profile) =>
      flags.flatMap((readonly) => flags.flatMap((bound) => flags.map((run) => ({ profile, readonly, bound, run })))),
    );
    for (const choice of choices) this.byChoice.set(keyOf(choice), buildView(toolset, choice));
  }

  view(choice: ViewChoice): ToolsetView {
    return this.byChoice.get(keyOf(choice))!;
  }

  get views(): ToolsetView[] {
    return [...this.byChoice.values()];
  }
}

const keyOf = ({ profile, readonly, bound, run = false }: ViewChoice): string =>
  `${profile}:${readonly}:${bound}:${run}`;

function buildView(toolset: Toolset, choice: ViewChoice): ToolsetView {
  const shown = entriesOf(toolset).filter(
    ({ definition }) =>
      (!choice.readonly || definition.effect === 'read') && (choice.bound || !definition.needsAttempt),
  );
  const listed = shown.filter(({ definition }) => !choice.run || isForRuns(definition));
  const published = listed.map(({ definition }) => publishTool(definition, toolset, choice.profile));
  const prompts = promptsFor(toolset, listed);
  const resources = guideResources(toolset, listed);
  return {
    toolset,
    published,
    tools: new Map(listed.map((entry) => [entry.definition.name, entry])),
    withheld: new Set(shown.filter((entry) => !listed.includes(entry)).map(({ definition }) => definition.name)),
    instructions: serverInstructions(toolset, listed),
    prompts: new Map(prompts.map((prompt) => [prompt.name, prompt])),
    resources: new Map(resources.map((resource) => [resource.uri, resource])),
    lists: new Map(
      Object.entries({
        'tools/list': { tools: published },
        'prompts/list': { prompts: prompts.map(({ opening, ...shown }) => shown) },
        'resources/list': {
          resources: resources.map(({ text, ...shown }) => ({ ...shown, size: Buffer.byteLength(text) })),
        },
        'resources/templates/list': { resourceTemplates: [] },
      }).map(([method, result]) => [method, JSON.stringify(result)]),
    ),
  };
}
