import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import type { RunReach } from '../platform/access/rights.js';
import type { ProjectRole, Scope } from '../platform/access/scopes.js';
import type { AppError } from '../platform/errors/app-error.js';
import type { OperationNames } from '../platform/errors/operations.js';
import type { Wording } from '../platform/errors/wording.js';
import type { Class } from '../platform/fields/field-node.js';

/** What a call does to the world; the four annotations follow from it. */
export type ToolEffect = 'read' | 'create' | 'update' | 'delete' | 'execute';

/** The words an agent picks a tool by. `next` names a tool of the same toolset. */
interface ToolGuide {
  useWhen: string;
  next: string;
  avoid: string;
}

export interface ToolDefinition {
  name: string;
  title: string;
  input: Class;
  output: Class;
  effect: ToolEffect;
  /** Scope that the caller needs. */
  scope: Scope;
  /** Role in the project, if it takes more than the one that includes the scope. */
  role?: ProjectRole;
  /** A repeated call with the same arguments changes nothing more. Default: true for read, update and delete. */
  idempotent?: boolean;
  guide: ToolGuide;
  /** Listed only where the URL binds an attempt (`?attempt_id=`). */
  needsAttempt?: boolean;
  /** Works with pull requests: all of it (true), or these arguments. Listed only where a forge is configured. */
  needsForge?: true | readonly string[];
  /** Nobody but a run may call it, or finds it listed. */
  onlyForRuns?: boolean;
  /** Runs may call it with their own token, on what is theirs, if AGENT_SCOPES allows. Reads are allowed anyway. */
  forRuns?: RunReach;
}

/** Whether a run with this reach may call it at all. */
export const isForRuns = ({ effect, forRuns }: ToolDefinition, reach: RunReach): boolean =>
  effect === 'read' || forRuns === reach || (forRuns === 'own' && reach === 'attempts');

/** What the address of an endpoint gives to the calls there. */
export interface EndpointDefaults {
  /** The attempt bound by `?attempt_id=`, or null. */
  attempt_id: string | null;
  /** The project of `?project_id=`, or null. */
  project_id?: string | null;
}

export interface CallContext extends EndpointDefaults {
  /** Who acts; a dialect whose arguments name the acting user puts that one here. */
  principal: Principal;
  /** Id of the request in the server's log, reported with internal errors. Generated if absent. */
  call_id?: string;
}

/** What a handler gets: the call, and how the calling toolset words what an answer withholds. */
export interface ToolContext extends CallContext {
  wording: Wording;
}

/** One tool is one class: facts in the decorator, one call in the body. */
export interface ToolHandler<I = never, O = object> {
  call(input: I, context: ToolContext): Promise<O>;
}
export type ToolClass = new (...args: never[]) => ToolHandler;

const TOOL = Symbol('taskyard:tool');

/** Makes a class a tool, and a provider. */
export const Tool =
  (definition: ToolDefinition): ClassDecorator =>
  (target) => {
    Injectable()(target);
    Reflect.defineMetadata(TOOL, definition, target);
  };

export function toolDefinitionOf(tool: ToolClass): ToolDefinition {
  const definition = Reflect.getMetadata(TOOL, tool) as ToolDefinition | undefined;
  if (!definition) throw new Error(`${tool.name} has no @Tool`);
  return definition;
}

interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

/** A prompt that walks through the loop. `opening` states the goal; the rest is generated from the guides. */
export interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  /** First sentences, from the given arguments; an optional one may be absent. */
  opening: (values: Readonly<Record<string, string>>) => string;
}

/** One dialect: its address, its tools in workflow order, and how it words success and refusal. */
export interface Toolset {
  id: string;
  /** Path of the MCP endpoint. */
  path: string;
  title: string;
  /** First sentences of the server instructions; the loop is generated from the guides. */
  introduction: string;
  /** The tools of the loop, in the order an agent walks them; named in the instructions and the prompt. */
  loop: readonly string[];
  /** Tools that the loop needs now and then. */
  whenNeeded?: readonly string[];
  tools: readonly ToolClass[];
  /** Answers runs of reviews alone. */
  isForReviewers?: boolean;
  /** Offered only where every tool of the loop is listed. */
  prompts?: readonly PromptDefinition[];
  /** Names of this dialect for the operations in hints. */
  operationNames: OperationNames;
  /** Shape of a refusal in this dialect, with the call that it leads to; the kanban dialect answers the plain
   *  envelope. */
  renderError?: (
    error: AppError,
    call: { tool: string; arguments: unknown; next: object | undefined },
  ) => { isError: boolean; structured: Record<string, unknown> };
  /** Text content of a success, from its structured content; default: the same. */
  renderText?: (structured: Record<string, unknown>) => unknown;
  /** Id fields of this dialect that are free text instead of UUIDs. */
  freeTextIds?: readonly string[];
  /** Shape of a success; the default is the result itself. */
  renderResult?: (result: object) => Record<string, unknown>;
  /** Class whose fields may appear instead of the success fields; default the plain envelope. */
  errorOutput?: Class;
}
