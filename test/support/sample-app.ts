import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  AttemptBinding,
  CompletionSource,
  InvocationSink,
  type Offer,
  Offers,
  References,
  RunInput,
} from '../../src/mcp/providers.js';
import { McpModule } from '../../src/mcp/mcp.module.js';
import { SCOPES } from '../../src/platform/access/scopes.js';
import { localOwner } from '../../src/platform/access/principal.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { ErrorFilter } from '../../src/platform/errors/error.filter.js';
import type { Json } from './mcp-client.js';
import {
  knowsNothing,
  boundAttempt,
  GetContextTool,
  ListNotesTool,
  Notes,
  sampleToolset,
  WriteNoteTool,
} from './sample-toolset.js';

class SampleBinding extends AttemptBinding {
  check(attempt_id: string): Promise<void> {
    return attempt_id === boundAttempt
      ? Promise.resolve()
      : Promise.reject(new AppError('attempt_not_found', { attempt_id }));
  }
}

class SampleCompletions extends CompletionSource {
  complete(argument: string, value: string): Promise<string[]> {
    if (argument === 'broken') return Promise.reject(new Error('secret of the source'));
    const labels = Array.from({ length: 150 }, (_, index) => `label-${index}`);
    return Promise.resolve(argument === 'label' ? labels.filter((label) => label.startsWith(value)) : []);
  }
}

const sampleOffer: Offer = { scopes: SCOPES, run: null, hasForge: false, hasChecks: false };

@Module({
  imports: [McpModule.forToolsets([sampleToolset], { name: 'sample', title: 'Sample', version: '1.0.0' })],
  providers: [
    Notes,
    ListNotesTool,
    WriteNoteTool,
    GetContextTool,
    { provide: AttemptBinding, useClass: SampleBinding },
    { provide: CompletionSource, useClass: SampleCompletions },
    { provide: Offers, useValue: { of: () => Promise.resolve(sampleOffer) } satisfies Offers },
    { provide: RunInput, useValue: { storable: (args) => Promise.resolve(args) } satisfies RunInput },
    { provide: References, useValue: knowsNothing },
    { provide: InvocationSink, useValue: { enter: () => () => undefined } satisfies InvocationSink },
  ],
})
class SampleModule {}

export interface SampleApp {
  url: string;
  notes: Notes;
  /** @param body a message, or text that is sent as it is */
  post: (body: unknown, call?: { query?: string; headers?: Record<string, string> }) => Promise<RpcAnswer>;
  close: () => Promise<void>;
}

interface RpcAnswer {
  status: number;
  headers: Headers;
  body: {
    [key: string]: unknown;
    error?: { code: number; message: string; data?: Record<string, unknown> };
    result?: Json;
  };
}

export const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** The protocol core alone on a free port of 127.0.0.1, with the sample toolset behind it.
 *  @param isDecided whether the access check says who calls */
export async function startSampleApp(bodyLimit = 1024 * 1024, isDecided = true): Promise<SampleApp> {
  const app = await NestFactory.create<NestFastifyApplication>(SampleModule, new FastifyAdapter({ bodyLimit }), {
    logger: false,
  });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', async (request, reply) => {
      const foreign = [request.headers.host, request.headers.origin && new URL(request.headers.origin).host].some(
        (host) => host && !/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host),
      );
      if (foreign) await reply.code(403).send({ code: 'host_forbidden' });
      if (isDecided) request.principal = localOwner;
    });
  app.useGlobalFilters(new ErrorFilter(bodyLimit));
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}${sampleToolset.path}`;
  return { url, notes: app.get(Notes), post: postTo(url), close: () => app.close() };
}

const postTo =
  (url: string): SampleApp['post'] =>
  async (body, { query = '', headers = {} } = {}) => {
    const answer = await fetch(url + query, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    const content = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: content ? (JSON.parse(content) as RpcAnswer['body']) : {},
    };
  };
