import { type Scope, SCOPES } from '../../platform/access/scopes.js';
import { schemaProfiles } from '../../platform/fields/schema-profiles.js';
import type { Offer } from '../providers.js';
import { isForRuns, type PromptDefinition, type ToolDefinition, type Toolset } from '../tool.js';
import { errorResource, type GuideResource, loopResource } from './guide-resources.js';
import { promptsFor, serverInstructions } from './loop-guide.js';
import {
  entriesOf,
  type PublishedTool,
  publishTool,
  requireUniqueNames,
  type Surroundings,
  type ToolEntry,
} from './published-tool.js';

/** What the URL of an endpoint selects, and what is offered to the caller. */
export interface ViewChoice extends Surroundings, Partial<Offer> {
  /** Only tools that change nothing. */
  readonly: boolean;
}

/** A toolset as published for one kind of URL; immutable and equal for all callers with these scopes. */
export interface ToolsetView {
  toolset: Toolset;
  /** Listed tools by name, in workflow order. */
  tools: ReadonlyMap<string, ToolEntry>;
  /** Tools that are not offered to this caller: a call of one is refused by the tool, with the reason. */
  withheld: ReadonlySet<string>;
  published: readonly PublishedTool[];
  instructions: string;
  prompts: ReadonlyMap<string, PromptDefinition>;
  resources: ReadonlyMap<string, GuideResource>;
  /** Results of the list methods as JSON, by method. */
  lists: ReadonlyMap<string, string>;
}

/** Views for callers with these scopes. */
interface Views {
  allowed: readonly Scope[];
  byChoice: Map<string, ToolsetView>;
}

/** Every view of one toolset, computed from its classes alone: no container, no database. */
export class ToolsetCatalogue {
  /** By the scopes that are allowed, then by the rest of the choice. */
  private readonly byScopes = new Map<string, Views>();
  private readonly viewsOf = new WeakMap<readonly Scope[], Views>();
  private readonly entries: readonly ToolEntry[];
  /** Scopes that its tools require. */
  private readonly asked: readonly Scope[];
  /** Rendered once, because views only differ in which of these they show. */
  private readonly published = new Map<string, ReadonlyMap<ToolEntry, PublishedTool>>();
  private readonly errors: GuideResource;

  constructor(readonly toolset: Toolset) {
    requireUniqueNames(toolset);
    this.entries = entriesOf(toolset);
    this.asked = SCOPES.filter((scope) => this.entries.some(({ definition }) => definition.scope === scope));
    this.errors = errorResource(toolset);
    for (const profile of schemaProfiles)
      for (const readonly of [false, true]) this.view({ profile, readonly, bound: false });
  }

  /** Rendered at the start for callers with all scopes and no attempt, for others on first use: all views together
   *  would be 20 MB, of which few are ever used. */
  view(choice: ViewChoice): ToolsetView {
    const { scopes = SCOPES } = choice;
    const { allowed, byChoice } = this.viewsOf.get(scopes) ?? this.openViews(scopes);
    const key = keyOf(choice);
    const view = byChoice.get(key) ?? this.build(choice, allowed);
    byChoice.set(key, view);
    return view;
  }

  get views(): ToolsetView[] {
    return [...this.byScopes.values()].flatMap(({ byChoice }) => [...byChoice.values()]);
  }

  /** Equal scopes share their views. */
  private openViews(scopes: readonly Scope[]): Views {
    const allowed = this.asked.filter((scope) => scopes.includes(scope));
    const views = this.byScopes.get(allowed.join(' ')) ?? { allowed, byChoice: new Map<string, ToolsetView>() };
    this.byScopes.set(allowed.join(' '), views);
    this.viewsOf.set(scopes, views);
    return views;
  }

  private publish(around: ViewChoice): ReadonlyMap<ToolEntry, PublishedTool> {
    const key = surroundingsKey(around);
    const render = (entry: ToolEntry) => publishTool(entry.definition, this.toolset, around);
    const known = this.published.get(key) ?? new Map(this.entries.map((entry) => [entry, render(entry)]));
    this.published.set(key, known);
    return known;
  }

  private build(choice: ViewChoice, allowed: readonly Scope[]): ToolsetView {
    const { toolset } = this;
    const shown = this.entries.filter(
      ({ definition }) =>
        (!choice.readonly || definition.effect === 'read') && (choice.bound || !definition.needsAttempt),
    );
    const listed = shown.filter(
      ({ definition }) => allowed.includes(definition.scope) && isOffered(definition, choice),
    );
    const rendered = this.publish(choice);
    const published = listed.map((entry) => rendered.get(entry)!);
    const prompts = promptsFor(toolset, listed);
    const resources = [loopResource(toolset, listed, published), this.errors];
    return {
      toolset,
      published,
      tools: new Map(listed.map((entry) => [entry.definition.name, entry])),
      withheld: new Set(shown.filter((entry) => !listed.includes(entry)).map(({ definition }) => definition.name)),
      instructions: serverInstructions(toolset, listed),
      prompts: new Map(prompts.map((prompt) => [prompt.name, prompt])),
      resources: new Map(resources.map((resource) => [resource.uri, resource])),
      lists: listResults(published, prompts, resources),
    };
  }
}

function isOffered(tool: ToolDefinition, { run = null, hasForge = false, hasChecks = false }: ViewChoice): boolean {
  const isForCaller = run === null ? !tool.onlyForRuns : isForRuns(tool, run);
  return isForCaller && (hasForge || tool.needsForge !== true) && (hasChecks || !tool.needsChecks);
}

const surroundingsKey = ({ profile, bound, inProject = false, hasForge = false }: Surroundings): string =>
  `${profile}:${bound}:${inProject}:${hasForge}`;

const keyOf = (choice: ViewChoice): string =>
  `${surroundingsKey(choice)}:${choice.readonly}:${choice.run ?? null}:${choice.hasChecks ?? false}`;

function listResults(
  published: readonly PublishedTool[],
  prompts: readonly PromptDefinition[],
  resources: readonly GuideResource[],
): ReadonlyMap<string, string> {
  const results = {
    'tools/list': { tools: published },
    'prompts/list': { prompts: prompts.map(({ opening, ...shown }) => shown) },
    'resources/list': {
      resources: resources.map(({ text, ...shown }) => ({ ...shown, size: Buffer.byteLength(text) })),
    },
    'resources/templates/list': { resourceTemplates: [] },
  };
  return new Map(Object.entries(results).map(([method, result]) => [method, JSON.stringify(result)]));
}
