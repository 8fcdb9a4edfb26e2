import { ErrorEnvelope } from '../../platform/errors/error-envelope.js';
import type { JsonSchema } from '../../platform/fields/json-schema.js';
import { optionalLine, requiredLine, withoutFields } from '../../platform/fields/mode-rules.js';
import { inputSchema, outputSchema, type SchemaProfile } from '../../platform/fields/schema-profiles.js';
import { settledFields } from '../endpoint-defaults.js';
import { type ToolClass, type ToolDefinition, toolDefinitionOf, type Toolset } from '../tool.js';

/** A tool as `tools/list` shows it. */
export interface PublishedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: ToolAnnotations;
}

export interface ToolEntry {
  tool: ToolClass;
  definition: ToolDefinition;
}

/** Tools of a toolset in workflow order. */
export const entriesOf = (toolset: Toolset): ToolEntry[] =>
  toolset.tools.map((tool) => ({ tool, definition: toolDefinitionOf(tool) }));

/** Two tools with the same name prevent the start. @throws Error that names the tool */
export function requireUniqueNames(toolset: Toolset): void {
  const names = entriesOf(toolset).map(({ definition }) => definition.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`toolset ${toolset.id}: the tool ${twice} is registered twice`);
}

/** What the schemas and words of a tool depend on: the URL of the endpoint, and whether a forge is configured. */
export interface Surroundings {
  profile: SchemaProfile;
  /** An attempt is bound. */
  bound: boolean;
  /** A project is given. */
  inProject?: boolean;
  hasForge?: boolean;
}

export function publishTool(definition: ToolDefinition, toolset: Toolset, around: Surroundings): PublishedTool {
  const { hasForge, bound, inProject, profile } = around;
  const tool = hasForge ? definition : withoutForge(definition);
  const settled = settledFields(tool, [
    ...(bound ? (['attempt_id'] as const) : []),
    ...(inProject ? (['project_id'] as const) : []),
  ]);
  return {
    name: tool.name,
    title: tool.title,
    description: toolDescription(tool, settled),
    inputSchema: inputSchema(tool.input, profile, settled),
    outputSchema: outputSchema(tool.output, toolset.errorOutput ?? ErrorEnvelope),
    annotations: annotationsOf(tool),
  };
}

function withoutForge(tool: ToolDefinition): ToolDefinition {
  const { input, needsForge } = tool;
  return Array.isArray(needsForge) ? { ...tool, input: withoutFields(input, needsForge) } : tool;
}

export const descriptionHeadings = ['Use when:', 'Required:', 'Optional:', 'Next:', 'Avoid:'] as const;

/** Five lines in a fixed order, so that an agent finds what it needs by position. The field lists are computed. */
export function toolDescription({ input, guide }: ToolDefinition, settled: readonly string[] = []): string {
  const lines = [guide.useWhen, requiredLine(input, settled), optionalLine(input), guide.next, guide.avoid];
  return descriptionHeadings.map((heading, index) => `${heading} ${lines[index]}`).join('\n');
}

/** Hints by which clients decide whether to ask a person first. All are explicit, because absent ones default to the
 *  worst. */
export interface ToolAnnotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export function annotationsOf({ title, effect, idempotent }: ToolDefinition): ToolAnnotations {
  return {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'delete',
    idempotentHint: idempotent ?? (effect !== 'create' && effect !== 'execute'),
    openWorldHint: effect === 'execute',
  };
}
