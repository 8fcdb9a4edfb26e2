import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import { isProven } from '../forges/webhook-proof.js';
import { numberOrNull, objectOf, textOf } from '../forges/forge-json.js';
import { AppError } from '../platform/errors/app-error.js';
import { WEBHOOKS } from '../platform/access/access-control.js';
import { PullRequestPolling } from './pull-request-polling.js';

const MAX_BYTES = 1024 * 1024;

/** Webhooks of forges. Their content only says which pull request changed; its state is then read from the forge. */
@Injectable()
export class ForgeWebhooks {
  private readonly logger = new Logger(ForgeWebhooks.name);

  constructor(
    private readonly forges: ForgesService,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly polling: PullRequestPolling,
  ) {}

  /** In its own fastify scope, because the signature covers the raw body. */
  serve(server: FastifyInstance): void {
    void server.register((scope, _, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
      scope.post(`${WEBHOOKS}:host`, { bodyLimit: MAX_BYTES }, (request, reply) => this.receive(request, reply));
      done();
    });
  }

  /** @throws AppError unauthenticated, even for hosts without webhooks, so that nobody learns which have them */
  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { host } = request.params as { host: string };
    const webhook = this.forges.webhookOf(host.toLowerCase());
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (webhook === null || !isProven(webhook.kind, webhook.secret, request.headers, body))
      throw new AppError('unauthenticated', {}, 'Sign the delivery with the secret of webhook_secret_file.');
    // the id of a delivery is not signed: a replay would bring another one
    const digest = createHash('sha256').update(`${host.toLowerCase()}\n`).update(body).digest();
    if (await this.pullRequestRows.isFirstHeard(digest)) await this.wake(host.toLowerCase(), body);
    await reply.code(202).send({});
  }

  private async wake(host: string, body: Buffer): Promise<void> {
    const said = parsed(body);
    if (said === undefined) this.logger.warn({ host }, 'a signed webhook is no JSON: its content type is set wrongly');
    const { repository, project, pull_request, object_attributes, number } = objectOf(said);
    const name = textOf(objectOf(repository).full_name) || textOf(objectOf(project).path_with_namespace);
    const which = objectOf(pull_request).number ?? objectOf(object_attributes).iid ?? number;
    if (name === '') return; // a ping, or an event that belongs to no repository
    if ((await this.pullRequestRows.wake(host, name, numberOrNull(which))) > 0) this.polling.wake();
  }
}

/** Undefined if it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined; // the caller refuses it
  }
}
