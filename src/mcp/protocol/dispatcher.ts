import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { toEnvelope } from '../../platform/errors/error-envelope.js';
import { ToolsetCatalogue, type ToolsetView, type ViewChoice } from '../catalogue/toolset-catalogue.js';
import type { CompletionSource, Offers } from '../providers.js';
import { asRefusal, type ToolCalls } from '../tool-invoker.js';
import type { CallContext, Toolset } from '../tool.js';
import type { Era, ServerInfo } from './era.js';
import {
  completeReady,
  decodeMessage,
  encodeError,
  encodeReady,
  encodeResult,
  idOf,
  type ReadyAnswer,
  RpcError,
  rpcCodes,
  type RpcRequest,
} from './json-rpc.js';
import { legacyEra } from './legacy-era.js';
import { isModern, modernEra } from './modern-era.js';
import { callTool, complete, getPrompt, isCallable, readResource } from './protocol-methods.js';

/** The HTTP answer; a notification has no body. */
export interface RpcAnswer {
  status: number;
  body: string | ReadyAnswer | null;
}

/** Answers of the list methods, by method. */
type ReadyLists = ReadonlyMap<string, Buffer>;

/** Answers the messages of one toolset. Lists that are the same for all plain callers are
 *  ready before the first one. */
export class Dispatcher {
  private readonly catalogue: ToolsetCatalogue;
  private readonly ready = { legacy: new Map<ToolsetView, ReadyLists>(), modern: new Map<ToolsetView, ReadyLists>() };

  constructor(
    toolset: Toolset,
    private readonly server: ServerInfo,
    private readonly invoker: ToolCalls,
    private readonly completions: CompletionSource,
    private readonly offers: Offers,
  ) {
    this.catalogue = new ToolsetCatalogue(toolset);
    for (const era of [legacyEra, modernEra]) for (const view of this.catalogue.views) this.readyOf(era, view);
  }

  /** @param body the parsed body of one POST */
  async answer(
    body: unknown,
    headers: IncomingHttpHeaders,
    choice: ViewChoice,
    context: CallContext,
  ): Promise<RpcAnswer> {
    let era = legacyEra;
    try {
      const message = decodeMessage(body);
      if (isModern(message, headers)) era = modernEra;
      era.admit(message, headers);
      if (message.kind !== 'request') return { status: 202, body: null };
      const view = await this.viewFor(message, era, choice, context);
      const ready = this.findReady(message, era, view);
      if (ready) return { status: 200, body: completeReady(message.id, ready) };
      const json = await this.compute(message, era, view, context);
      return { status: 200, body: encodeResult(message.id, era.decorate(message.method, json, this.server)) };
    } catch (error) {
      const breach = error instanceof RpcError ? error : this.failure(error, context);
      const { code, status } = era.refuse(breach);
      return { status, body: encodeError(idOf(body), { code, message: breach.message, data: breach.data }) };
    }
  }

  /** @throws RpcError where the revision has no such method */
  private async viewFor({ method, params }: RpcRequest, era: Era, choice: ViewChoice, { principal }: CallContext) {
    if (method !== era.opening && !era.methods.has(method))
      throw new RpcError(rpcCodes.methodNotFound, `Method ${method} does not exist.`);
    const plain = this.catalogue.view(choice);
    if (method === 'ping' || (method === 'tools/call' && isCallable(params.name, plain))) return plain;
    return this.catalogue.view({ ...choice, ...(await this.offers.of(principal)) });
  }

  /** The answer of a list method. */
  private findReady({ method, params }: RpcRequest, era: Era, view: ToolsetView): Buffer | undefined {
    const ready = this.readyOf(era, view).get(method);
    if (ready && params.cursor !== undefined)
      throw new RpcError(rpcCodes.invalidParams, 'Lists are answered whole: there is no cursor.');
    return ready;
  }

  /** As JSON. */
  private async compute(
    { method, params }: RpcRequest,
    era: Era,
    view: ToolsetView,
    context: CallContext,
  ): Promise<string> {
    switch (method) {
      case 'tools/call':
        return callTool(params, view, this.invoker, context);
      case 'prompts/get':
        return JSON.stringify(getPrompt(params, view));
      case 'resources/read':
        return JSON.stringify(readResource(params, view));
      case 'completion/complete':
        return JSON.stringify(await complete(params, view, this.completions, context));
      case era.opening:
        return JSON.stringify(era.open(params, view, this.server));
      default:
        return '{}'; // ping, logging/setLevel and subscriptions ask for nothing
    }
  }

  private failure(error: unknown, { call_id = randomUUID() }: CallContext): RpcError {
    const refusal = asRefusal(error, call_id, 'a request');
    const data = toEnvelope(refusal, this.catalogue.toolset.operationNames);
    return new RpcError(rpcCodes.internalError, refusal.message, data);
  }

  private readyOf(era: Era, view: ToolsetView): ReadyLists {
    const ready = era === modernEra ? this.ready.modern : this.ready.legacy;
    const lists = ready.get(view) ?? this.prepare(era, view);
    ready.set(view, lists);
    return lists;
  }

  private prepare(era: Era, view: ToolsetView): ReadyLists {
    return new Map(
      [...view.lists].map(([method, json]) => [method, encodeReady(era.decorate(method, json, this.server))]),
    );
  }
}
