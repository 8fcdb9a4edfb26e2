import 'reflect-metadata';
import type { Principal } from '../platform/access/principal.js';
import type { RunReach } from '../platform/access/run-rights.js';
import type { ProjectRole, Scope } from '../platform/access/scopes.js';
import type { AppError } from '../platform/errors/app-error.js';
import type { OperationNames } from '../platform/errors/operations.js';
import type { Class } from '../platform/fields/field-node.js';

/** What a call does to the world; the four annotations follow from it. */
export type ToolEffect = 'read' | 'create' | 'update' | 'delete' | 'execute';

/** The words an agent picks a tool by. `next` names a tool of the same toolset. */
export interface ToolGuide {
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
  /** What a call asks of its caller's credential. */
  scope: Scope;
  /** Role in the project, where it asks for more than the one that brings the scope. */
  role?: ProjectRole;
  /** A repeated call with the same arguments changes nothing more. Default: true for read, update and delete. */
  idempotent?: boolean;
  guide: ToolGuide;
  /** Listed only where the URL binds an attempt (`?attempt_id=`). */
  needsAttempt?: boolean;
  /** Runs may call it with their own token, on what is theirs, if they reach so far. Reads are for runs anyway. */
  forRuns?: RunReach;
}

/** Whether a run that reaches so far may call it at all. */
export const isForRuns = ({ effect, forRuns }: ToolDefinition, reach: RunReach): boolean =>
  effect === 'read' || forRuns === 'own' || forRuns === reach;

export interface CallContext {
  /** Who acts; a dialect whose arguments name the acting user puts that one here. */
  principal: Principal;
  /** The attempt bound by `?attempt_id=`, or null. */
  attempt_id: string | null;
  /** Id of the request in the server's log; a failure of ours is reported with it. Made up where none is given. */
  call_id?: string;
}

/** What a handler gets: the call, and the names by which the calling toolset does an operation. */
export interface ToolContext extends CallContext {
  names: OperationNames;
}

/** One tool is one class in one file: facts in the decorator, one call in the body. */
export interface ToolHandler<I = never, O = object> {
  call(input: I, context: ToolContext): Promise<O>;
}
export type ToolClass = new (...args: never[]) => ToolHandler;

const TOOL = Symbol('taskyard:tool');
export const Tool =
  (definition: ToolDefinition): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(TOOL, definition, target);

export function toolDefinitionOf(tool: ToolClass): ToolDefinition {
  const definition = Reflect.getMetadata(TOOL, tool) as ToolDefinition | undefined;
  if (!definition) throw new Error(`${tool.name} has no @Tool`);
  return definition;
}

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

/** A prompt that walks the loop. `opening` says what for; what follows is generated from the guides. */
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
  tools: readonly ToolClass[];
  /** Offered only where every tool of the loop is listed. */
  prompts?: readonly PromptDefinition[];
  /** Which tool of this dialect does an operation that a hint names. */
  operationNames: OperationNames;
  /** Shape of a refusal in this dialect; the kanban dialect answers the plain envelope. */
  renderError?: (
    error: AppError,
    call: { tool: string; arguments: unknown },
  ) => { isError: boolean; structured: Record<string, unknown> };
  /** What the text content of a success says, made from its structured content; the default is the same. */
  renderText?: (structured: Record<string, unknown>) => unknown;
  /** Id fields of this dialect that are free text and no UUIDs. */
  freeTextIds?: readonly string[];
  /** Shape of a success; the default is the result itself. */
  renderResult?: (result: object) => Record<string, unknown>;
  /** Class whose fields may appear instead of the success fields; default the plain envelope. */
  errorOutput?: Class;
}
