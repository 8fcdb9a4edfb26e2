import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, principalOf } from '../platform/access/principal.js';
import { runReachOf } from '../platform/access/run-rights.js';
import type { Scope } from '../platform/access/scopes.js';
import { AppError } from '../platform/errors/app-error.js';
import { challenge } from '../platform/errors/error.filter.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { isRecord } from '../platform/fields/normalise.js';
import type { AttemptBinding } from './attempt-binding.js';
import { choiceOf, type EndpointChoice } from './endpoint-query.js';
import { asRefusal } from './failure-report.js';
import type { Dispatcher, RpcAnswer } from './protocol/dispatcher.js';
import { encodeError, type ReadyAnswer, rpcCodes } from './protocol/json-rpc.js';
import { toolDefinitionOf, type Toolset } from './tool.js';

/** Set by the server's access hook, which runs before every route. */
type Request = FastifyRequest & { principal?: Principal };

/** The text of an answer, or that it went out. */
type Sent = string | FastifyReply;

/** What a message asks of its caller, the tool it calls says. */
const EACH_CALL_ASKS = { right: null };

/** One toolset on its path: POST carries one message, there is no stream and no session. */
export class McpEndpoint {
  private readonly scopes: ReadonlyMap<unknown, Scope>;

  constructor(
    private readonly toolset: Toolset,
    private readonly dispatcher: Dispatcher,
    private readonly attempts: AttemptBinding,
  ) {
    this.scopes = new Map(toolset.tools.map(toolDefinitionOf).map(({ name, scope }) => [name, scope]));
  }

  /** Straight on fastify: Nest's router costs a quarter of a call and has nothing to add here. */
  register(server: FastifyInstance): void {
    const { path: url } = this.toolset;
    server.route({
      method: 'POST',
      url,
      config: EACH_CALL_ASKS,
      onRequest: (request, reply, done) => (this.checkMedia(request, reply) ? undefined : done()),
      handler: (request, reply) => this.answer(request, reply),
      errorHandler: (error, _, reply) => this.refuseBody(error, reply),
    });
    server.route({
      method: ['GET', 'DELETE', 'PUT', 'PATCH'],
      url,
      config: EACH_CALL_ASKS,
      handler: async (request, reply) => this.refuseMethod(request, reply),
    });
  }

  /** The work goes on when the client leaves: what was started is found again by its ids. Promises are chained and
   *  made only where one is waited for: each costs, as it has to keep the scope of the log.
   *  @throws AppError unauthenticated where nobody decided who calls */
  private answer(request: Request, reply: FastifyReply): Sent | Promise<Sent> {
    const principal = principalOf(request);
    const chosen = this.choose(request, principal);
    const dispatch = (choice: EndpointChoice | AppError) => this.dispatch(request, reply, principal, choice);
    return chosen instanceof Promise ? chosen.then(dispatch) : dispatch(chosen);
  }

  private dispatch(
    request: Request,
    reply: FastifyReply,
    principal: Principal,
    choice: EndpointChoice | AppError,
  ): Sent | Promise<Sent> {
    if (choice instanceof AppError) return this.sendEnvelope(reply, choice);
    const answer = this.dispatcher.answer(request.body, request.headers, choice, {
      principal,
      attempt_id: choice.attempt_id,
      call_id: String(request.id),
    });
    const send = (answered: RpcAnswer) => this.send(reply, answered, this.missingScope(request.body, principal));
    return answer instanceof Promise ? answer.then(send) : send(answer);
  }

  private send(reply: FastifyReply, { status, body }: RpcAnswer, missing: Scope | null): Sent {
    if (body === null) return reply.code(status).send();
    if (missing !== null) challenge(reply, missing);
    reply.code(missing === null ? status : 403).header('content-type', 'application/json');
    return typeof body === 'string' ? body : sendReady(reply, body);
  }

  /** What the URL asks for; a wrong URL is refused with hints in the words of the toolset. */
  private choose(
    request: FastifyRequest,
    principal: Principal,
  ): EndpointChoice | AppError | Promise<EndpointChoice | AppError> {
    const refused = (error: unknown) => asRefusal(error, String(request.id), 'a request');
    try {
      const choice = choiceOf(request.query as object, { run: runReachOf(principal), scopes: principal.scopes });
      if (!choice.attempt_id) return choice;
      return this.attempts.check(choice.attempt_id, principal).then(() => choice, refused);
    } catch (error) {
      return refused(error);
    }
  }

  /** The client of a person logs in again for a scope that the status tells it of, not the result. */
  private missingScope(body: unknown, { kind, scopes }: Principal): Scope | null {
    if (kind !== 'person' || !isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return null;
    const scope = this.scopes.get(body.params.name);
    return scope === undefined || scopes.includes(scope) ? null : scope;
  }

  private checkMedia({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
      return this.refuseTransport(reply, new AppError('unsupported_media_type'));
    if (!/(^|,)\s*(application\/json|application\/\*|\*\/\*)\s*(;|,|$)/i.test(headers.accept ?? '*/*'))
      return this.refuseTransport(reply, new AppError('not_acceptable'));
    return undefined;
  }

  /** A body that is no JSON is a matter of JSON-RPC; everything else goes to the error handler of the whole server. */
  private refuseBody(error: FastifyError, reply: FastifyReply): FastifyReply {
    if (error.statusCode !== 400 || error instanceof AppError) throw error;
    return this.refuseTransport(reply, new AppError('malformed_body'), rpcCodes.parseError);
  }

  private refuseMethod({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.sendEnvelope(reply.header('allow', 'POST'), new AppError('method_not_allowed', { method }));
  }

  /** What goes wrong before a message is known is still answered as JSON-RPC, for clients that read nothing else. */
  private refuseTransport(reply: FastifyReply, error: AppError, code: number = rpcCodes.badTransport): FastifyReply {
    return sendJson(
      reply,
      error.row.status,
      encodeError(null, { code, message: error.message, data: this.envelope(error, reply) }),
    );
  }

  private sendEnvelope(reply: FastifyReply, error: AppError): FastifyReply {
    return sendJson(reply, error.row.status, JSON.stringify(this.envelope(error, reply)));
  }

  private envelope(error: AppError, { request }: FastifyReply): object {
    return toEnvelope(error, this.toolset.operationNames, request.id);
  }
}

/** Past fastify, which takes one buffer: the parts go out as they are. */
function sendReady(reply: FastifyReply, { head, rest }: ReadyAnswer): FastifyReply {
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-length': Buffer.byteLength(head) + rest.length,
  });
  raw.cork();
  raw.write(head);
  raw.end(rest);
  return reply;
}

const sendJson = (reply: FastifyReply, status: number, json: string): FastifyReply =>
  reply.code(status).header('content-type', 'application/json').send(json);
