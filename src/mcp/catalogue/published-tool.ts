import { ErrorEnvelope } from '../../platform/errors/error-envelope.js';
import type { JsonSchema } from '../../platform/fields/json-schema.js';
import { inputSchema, outputSchema, type SchemaProfile } from '../../platform/fields/schema-profiles.js';
import { type ToolClass, type ToolDefinition, toolDefinitionOf, type Toolset } from '../tool.js';
import { annotationsOf, type ToolAnnotations } from './tool-annotations.js';
import { toolDescription } from './tool-description.js';

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

/** A server with two tools of the same name does not start. @throws Error that names the tool */
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
