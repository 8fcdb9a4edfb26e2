import { ErrorEnvelope } from '../../platform/errors/error-envelope.js';
import type { JsonSchema } from '../../platform/fields/json-schema.js';
import { optionalLine, requiredLine } from '../../platform/fields/mode-rules.js';
import { inputSchema, outputSchema, type SchemaProfile } from '../../platform/fields/schema-profiles.js';
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

export function publishTool(definition: ToolDefinition, toolset: Toolset, profile: SchemaProfile): PublishedTool {
  return {
    name: definition.name,
    title: definition.title,
    description: toolDescription(definition),
    inputSchema: inputSchema(definition.input, profile),
    outputSchema: outputSchema(definition.output, toolset.errorOutput ?? ErrorEnvelope),
    annotations: annotationsOf(definition),
  };
}

export const descriptionHeadings = ['Use when:', 'Required:', 'Optional:', 'Next:', 'Avoid:'] as const;

/** Five lines in a fixed order, so that an agent finds what it needs by position. The field lists are computed. */
export function toolDescription({ input, guide }: ToolDefinition): string {
  const lines = [guide.useWhen, requiredLine(input), optionalLine(input), guide.next, guide.avoid];
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
