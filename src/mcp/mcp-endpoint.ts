import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Principal, principalOf } from '../platform/access/principal.js';
import type { Scope } from '../platform/access/scopes.js';
import { AppError } from '../platform/errors/app-error.js';
import { challenge } from '../platform/errors/error.filter.js';
import { toEnvelope } from '../platform/errors/error-envelope.js';
import { EnumField, TextField, UuidField } from '../platform/fields/fields.js';
import { InputParser } from '../platform/fields/input-parser.js';
import { isRecord } from '../platform/fields/normalise.js';
import { type SchemaProfile, schemaProfiles } from '../platform/fields/schema-profiles.js';
import type { ViewChoice } from './catalogue/toolset-catalogue.js';
import type { Dispatcher, RpcAnswer } from './protocol/dispatcher.js';
import { encodeError, type ReadyAnswer, rpcCodes } from './protocol/json-rpc.js';
import { ProgressStreams } from './progress-stream.js';
import type { AttemptBinding, Offer } from './providers.js';
import { type EndpointDefaults, toolDefinitionOf, type Toolset } from './tool.js';
import { asRefusal } from './tool-invoker.js';

/** Set by the server's access hook, which runs before every route. */
type Request = FastifyRequest & { principal?: Principal };

/** The text of an answer, or that it went out. */
type Sent = string | FastifyReply;

/** Rights are checked per tool, not per route. */
const EACH_CALL_ASKS = { right: null };

const ONLY_REVIEWERS = 'only the run of a review calls this endpoint';

/** One toolset on its path: POST carries one message, there is no session, and no stream but while a call waits. */
export class McpEndpoint {
  private readonly scopes: ReadonlyMap<unknown, Scope>;
  private readonly streams: ProgressStreams;

  constructor(
    private readonly toolset: Toolset,
    private readonly dispatcher: Dispatcher,
    private readonly attempts: AttemptBinding,
  ) {
    this.scopes = new Map(toolset.tools.map(toolDefinitionOf).map(({ name, scope }) => [name, scope]));
    this.streams = new ProgressStreams(toolset);
  }

  /** Registered directly on fastify: Nest's router costs a quarter of a call and adds nothing here. */
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

  /** The work goes on when the client leaves: what was started is found again by its ids.
   *  @throws AppError unauthenticated where nobody decided who calls */
  private async answer(request: Request, reply: FastifyReply): Promise<Sent> {
    const principal = principalOf(request);
    const call_id = String(request.id);
    let choice: EndpointChoice;
    try {
      if (this.toolset.isForReviewers && !principal.isReviewer)
        throw new AppError('forbidden', { reason: ONLY_REVIEWERS });
      choice = choiceOf(request.query as object);
      if (choice.attempt_id !== null) await this.attempts.check(choice.attempt_id, principal);
    } catch (error) {
      return this.sendEnvelope(reply, asRefusal(error, call_id, 'a request')); // in the words of the toolset
    }
    const { attempt_id, project_id } = choice;
    const context = { principal, attempt_id, project_id, call_id };
    const { body, headers } = request;
    const answering = this.dispatcher.answer(body, headers, choice, context);
    const missing = this.missingScope(body, principal);
    const wait = missing === null ? this.streams.waitOf(body, headers) : null;
    if (wait !== null && (await this.streams.send(reply, answering, wait))) return reply;
    return this.send(reply, await answering, missing);
  }

  private send(reply: FastifyReply, { status, body }: RpcAnswer, missing: Scope | null): Sent {
    if (body === null) return reply.code(status).send();
    if (missing !== null) challenge(reply, missing);
    reply.code(missing === null ? status : 403).header('content-type', 'application/json');
    return typeof body === 'string' ? body : sendReady(reply, body);
  }

  /** Clients of people log in again for a missing scope only if the HTTP status tells them. */
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

  /** A body that is not JSON is answered by JSON-RPC; everything else by the server's error handler. */
  private refuseBody(error: FastifyError, reply: FastifyReply): FastifyReply {
    if (error.statusCode !== 400 || error instanceof AppError) throw error;
    return this.refuseTransport(reply, new AppError('malformed_body'), rpcCodes.parseError);
  }

  private refuseMethod({ method }: FastifyRequest, reply: FastifyReply): FastifyReply {
    return this.sendEnvelope(reply.header('allow', 'POST'), new AppError('method_not_allowed', { method }));
  }

  /** Failures before a message is decoded are answered as JSON-RPC, too, for clients that read nothing else. */
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

/** Bypasses fastify, which takes a single buffer, and sends the parts as they are. */
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

/** Query of an MCP endpoint. Empty values and unknown keys are refused. */
class EndpointQuery {
  @UuidField('Binds the endpoint to an attempt, UUID.', { optional: true, blankIsAbsent: false }) attempt_id?: string;
  @UuidField('Default for project_id, UUID.', { optional: true, blankIsAbsent: false }) project_id?: string;
  @EnumField('true lists only tools that change nothing.', ['true', 'false'], { optional: true, blankIsAbsent: false })
  readonly?: 'true' | 'false';
  @TextField('How unions are published: portable, oneof or flat.', { optional: true }) schema?: SchemaProfile;
}

/** What the URL of an endpoint says. */
export type EndpointChoice = Required<Omit<ViewChoice, keyof Offer>> & Required<EndpointDefaults>;

const parser = InputParser.of(EndpointQuery);
const nothingAsked: EndpointChoice = {
  profile: 'portable',
  readonly: false,
  bound: false,
  inProject: false,
  attempt_id: null,
  project_id: null,
};

/** @throws AppError invalid_argument or schema_profile_unknown, which list what is known */
export function choiceOf(query: object): EndpointChoice {
  if (Object.keys(query).length === 0) return nothingAsked;
  const { attempt_id = null, project_id = null, readonly, schema: profile = 'portable' } = parser.parse(query);
  if (!schemaProfiles.includes(profile))
    throw new AppError('schema_profile_unknown', { schema: profile, known: schemaProfiles });
  const [bound, inProject] = [attempt_id !== null, project_id !== null];
  return { profile, readonly: readonly === 'true', bound, inProject, attempt_id, project_id };
}
