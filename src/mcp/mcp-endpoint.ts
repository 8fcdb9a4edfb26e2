import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, principalOf } from '../platform/access/principal.js';
import { isRun } from '../platform/access/run-rights.js';
import { AppError } from '../platform/errors/app-error.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import type { AttemptBinding } from './attempt-binding.js';
import { choiceOf, type EndpointChoice } from './endpoint-query.js';
import { asRefusal } from './failure-report.js';
import type { Dispatcher } from './protocol/dispatcher.js';
import { encodeError, type ReadyAnswer, rpcCodes } from './protocol/json-rpc.js';
import type { Toolset } from './tool.js';

/** Set by the server's access hook, which runs before every route. */
type Request = FastifyRequest & { principal?: Principal };

/** One toolset on its path: POST carries one message, there is no stream and no session. */
export class McpEndpoint {
  constructor(
    private readonly toolset: Toolset,
    private readonly dispatcher: Dispatcher,
    private readonly attempts: AttemptBinding,
  ) {}

  /** Straight on fastify: Nest's router costs a quarter of a call and has nothing to add here. */
  register(server: FastifyInstance): void {
    const { path: url } = this.toolset;
    server.route({
      method: 'POST',
      url,
      onRequest: (request, reply, done) => (this.checkMedia(request, reply) ? undefined : done()),
      handler: (request, reply) => this.answer(request, reply),
      errorHandler: (error, _, reply) => this.refuseBody(error, reply),
    });
    server.route({
      method: ['GET', 'DELETE', 'PUT', 'PATCH'],
      url,
      handler: async (request, reply) => this.refuseMethod(request, reply),
    });
  }

  /** The work goes on when the client leaves: what was started is found again by its ids.
   *  @throws AppError unauthenticated where nobody decided who calls */
  private async answer(request: Request, reply: FastifyReply): Promise<string | FastifyReply> {
    const principal = principalOf(request);
    const choice = await this.choose(request, principal);
    if (choice instanceof AppError) return this.sendEnvelope(reply, choice);
    const { status, body } = await this.dispatcher.answer(request.body, request.headers, choice, {
      principal,
      attempt_id: choice.attempt_id,
      call_id: String(request.id),
    });
    if (body === null) return reply.code(status).send();
    reply.code(status).header('content-type', 'application/json');
    return typeof body === 'string' ? body : sendReady(reply, body);
  }

  /** What the URL asks for; a wrong URL is refused with hints in the words of the toolset. */
  private async choose(request: FastifyRequest, principal: Principal): Promise<EndpointChoice | AppError> {
    try {
      const choice = choiceOf(request.query as object);
      if (choice.attempt_id) await this.attempts.check(choice.attempt_id, principal);
      return isRun(principal) ? { ...choice, run: true } : choice;
    } catch (error) {
      return asRefusal(error, String(request.id), 'a request');
    }
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
    if (error.statusCode !== 400) throw error;
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
      encodeError(null, { code, message: error.message, data: this.envelope(error) }),
    );
  }

  private sendEnvelope(reply: FastifyReply, error: AppError): FastifyReply {
    return sendJson(reply, error.row.status, JSON.stringify(this.envelope(error)));
  }

  private envelope(error: AppError): object {
    return toEnvelope(error, this.toolset.operationNames);
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
