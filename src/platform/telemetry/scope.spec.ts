import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { setImmediate as turn } from 'node:timers/promises';
import { currentTraceparent, inScope, inSpan, openScope, scopeFields, within } from './scope.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = `00-${TRACE}-b7ad6b7169203331-01`;
const nothing = () => ({});

describe('the scope of what goes on', () => {
  it('gives each line the ids around it, the innermost first, and nothing outside', async () => {
    expect(scopeFields()).toEqual({});
    await inScope(
      'turn',
      () => ({ job_id: 'j', attempt_id: 'a', task_id: null }),
      {},
      () =>
        inScope(
          'execution',
          () => ({ execution_process_id: 'e', attempt_id: 'b' }),
          {},
          async () => {
            await turn();
            await turn();
            expect(scopeFields()).toEqual({ job_id: 'j', attempt_id: 'b', execution_process_id: 'e' });
          },
        ),
    );
    expect(scopeFields()).toEqual({});
  });

  it('asks for ids when a line is logged, not before: the caller is known late', () => {
    const ids: Record<string, string> = {};
    const scope = openScope('GET /', () => ids, {});
    within(scope, () => {
      ids.principal_id = 'p';
      expect(scopeFields()).toEqual({ principal_id: 'p' });
    });
  });

  it('keeps those apart that run at the same time', async () => {
    const seen = (id: string) =>
      inScope(
        'call',
        () => ({ request_id: id }),
        {},
        async () => {
          await turn();
          return scopeFields();
        },
      );
    expect(await Promise.all([seen('1'), seen('2')])).toEqual([{ request_id: '1' }, { request_id: '2' }]);
  });

  it('takes over the trace of a caller without an SDK, and hands it on', async () => {
    await inScope('turn', nothing, { traceparent: CALLER }, () =>
      inSpan('git status', {}, async () => {
        await turn();
        expect(scopeFields()).toMatchObject({ trace_id: TRACE });
        expect(currentTraceparent()).toBe(CALLER);
      }),
    );
  });

  it.each([
    ['another version', `01-${TRACE}-b7ad6b7169203331-01`],
    ['no ids', '00-00000000000000000000000000000000-0000000000000000-01'],
    ['capitals', CALLER.toUpperCase()],
    ['a long one', `${CALLER}-more`],
    ['two of them', `${CALLER}, ${CALLER}`],
    ['none', undefined],
    ['a list', [CALLER]],
  ])('is without a trace where a caller sends %s', (_, traceparent) => {
    within(openScope('GET /', nothing, {}, traceparent), () => {
      expect([scopeFields(), currentTraceparent()]).toEqual([{}, undefined]);
    });
  });

  describe('with an SDK', () => {
    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    beforeAll(() => provider.register());
    afterEach(() => exporter.reset());
    afterAll(async () => {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    });

    it('makes one trace of a call, its turn and what that does', async () => {
      let handedOn: string | undefined;
      await inScope('tools/call start_task_attempt', nothing, { traceparent: CALLER }, async () => {
        await turn();
        handedOn = currentTraceparent();
      });
      await inScope('turn', nothing, { kind: SpanKind.CONSUMER, traceparent: handedOn }, () =>
        inSpan('git worktree', {}, () => Promise.resolve()),
      );
      const [call, git, turnSpan] = exporter.getFinishedSpans();
      expect([call, git, turnSpan].map((span) => span!.spanContext().traceId)).toEqual([TRACE, TRACE, TRACE]);
      expect(call!.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
      expect(turnSpan!.parentSpanContext?.spanId).toBe(call!.spanContext().spanId);
      expect(git!.parentSpanContext?.spanId).toBe(turnSpan!.spanContext().spanId);
    });

    it('marks what failed by its code, and never tells the text of an error', async () => {
      const refused = Object.assign(new Error('the password is hunter2'), { code: 'git_failed' });
      await expect(inSpan('git push', {}, () => Promise.reject(refused))).rejects.toBe(refused);
      const [span] = exporter.getFinishedSpans();
      expect(span).toMatchObject({
        status: { code: SpanStatusCode.ERROR },
        attributes: { 'error.type': 'git_failed' },
        events: [],
      });
      expect(JSON.stringify([span!.attributes, span!.status])).not.toContain('hunter2');
    });
  });
});
