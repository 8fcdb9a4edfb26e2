import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AttemptBinding } from '../../src/mcp/attempt-binding.js';
import { CompletionSource } from '../../src/mcp/completion-source.js';
import { InvocationSink } from '../../src/mcp/invocation-sink.js';
import { McpModule } from '../../src/mcp/mcp.module.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { ErrorFilter } from '../../src/platform/errors/error.filter.js';
import { boundAttempt, GetContextTool, ListNotesTool, Notes, sampleToolset, WriteNoteTool } from './sample-toolset.js';

class SampleBinding extends AttemptBinding {
  async check(attempt_id: string): Promise<void> {
    if (attempt_id !== boundAttempt) throw new AppError('attempt_not_found', { attempt_id });
  }
}

class SampleCompletions extends CompletionSource {
  async complete(argument: string, value: string): Promise<string[]> {
    if (argument === 'broken') throw new Error('secret of the source');
    const labels = Array.from({ length: 150 }, (_, index) => `label-${index}`);
    return argument === 'label' ? labels.filter((label) => label.startsWith(value)) : [];
  }
}

@Module({
  imports: [McpModule.forToolsets([sampleToolset], { name: 'sample', title: 'Sample', version: '1.0.0' })],
  providers: [
    Notes,
    ListNotesTool,
    WriteNoteTool,
    GetContextTool,
    { provide: AttemptBinding, useClass: SampleBinding },
    { provide: CompletionSource, useClass: SampleCompletions },
    { provide: InvocationSink, useValue: { enter: () => () => undefined } satisfies InvocationSink },
  ],
})
class SampleModule {}

export interface SampleApp {
  url: string;
  notes: Notes;
  close: () => Promise<void>;
}

/** The protocol core alone on a free port of 127.0.0.1, with the sample toolset behind it. */
export async function startSampleApp(bodyLimit = 1024 * 1024): Promise<SampleApp> {
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
    });
  app.useGlobalFilters(new ErrorFilter(bodyLimit));
  await app.listen(0, '127.0.0.1');
  return { url: `${await app.getUrl()}${sampleToolset.path}`, notes: app.get(Notes), close: () => app.close() };
}
