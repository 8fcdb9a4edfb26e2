import {
  type Context,
  context,
  INVALID_TRACEID,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncValue } from '../context/async-value.js';

/** Ids that a line of the log carries, by the names the wire gives them. */
export type Ids = Readonly<Record<string, string | null | undefined>>;

/** Work in progress: lines logged in it carry its ids, and spans have its span as parent. */
export interface Scope {
  /** Evaluated when a line is logged. */
  ids: () => Ids;
  span: Span;
  parent: Scope | null;
}

const scopes = new AsyncValue<Scope>();
/** Without an SDK its spans cost a call and only carry the ids that a caller sent. */
const tracer = trace.getTracer('taskyard');

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Opens a scope and begins its span, which `end` ends.
 *  @param traceparent of the caller, as W3C Trace Context writes it; what is malformed is as good as none */
export function openScope(name: string, ids: Scope['ids'], options: SpanOptions, traceparent?: unknown): Scope {
  const parent = scopes.get() ?? null;
  const above = remoteParent(traceparent) ?? (parent ? contextOf(parent.span) : context.active());
  return { ids, span: tracer.startSpan(name, options, above), parent };
}

/** Runs `work` in a scope that is open. */
export const within = <T>(scope: Scope, work: () => T): T =>
  scopes.run(scope, () => (isTraced(scope.span) ? context.with(contextOf(scope.span), work) : work()));

/** Runs `work` in a scope and a span that end with it. Errors are recorded by code or class, never by text. Chained
 *  rather than awaited, which would cost two more promises. */
export function inScope<T>(
  name: string,
  ids: Scope['ids'],
  { traceparent, ...options }: SpanOptions & { traceparent?: string | undefined },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const scope = openScope(name, ids, options, traceparent);
  const end = (result: T): T => {
    scope.span.end();
    return result;
  };
  const fail = (error: unknown): never => {
    failed(scope.span, kindOf(error));
    scope.span.end();
    throw error;
  };
  return within(scope, () => begun(work, scope.span)).then(end, fail);
}

/** Turns a synchronous throw into a rejection. */
function begun<T>(work: (span: Span) => Promise<T>, span: Span): Promise<T> {
  try {
    return work(span);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Opens a span without a log scope. */
export const inSpan = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
  inScope(name, noIds, { kind: SpanKind.INTERNAL, ...options }, work);

export function failed(span: Span, reason: string): void {
  span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR });
}

/** The trace context to hand to a job or another process; undefined if nothing is traced. */
export function currentTraceparent(): string | undefined {
  const found = scopes.get()?.span.spanContext();
  if (!found || !isSpanContextValid(found)) return undefined;
  return `00-${found.traceId}-${found.spanId}-${found.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The fields of every line that is logged now: ids from the inside out, the trace as OpenTelemetry names it. */
export function scopeFields(): Record<string, string> {
  const fields: Record<string, string> = {};
  const innermost = scopes.get() ?? null;
  for (let scope = innermost; scope !== null; scope = scope.parent)
    for (const [name, id] of Object.entries(scope.ids())) if (typeof id === 'string') fields[name] ??= id;
  const found = innermost?.span.spanContext();
  if (found && isSpanContextValid(found)) Object.assign(fields, { trace_id: found.traceId, span_id: found.spanId });
  return fields;
}

const noIds = (): Ids => ({});

/** Untraced spans need no context of their own. */
const isTraced = (span: Span): boolean => span.spanContext().traceId !== INVALID_TRACEID;
const contextOf = (span: Span): Context => (isTraced(span) ? trace.setSpan(context.active(), span) : context.active());

function kindOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name: string };
  return typeof code === 'string' ? code : name;
}

function remoteParent(traceparent: unknown) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const traceFlags = parseInt(flags, 16) & TraceFlags.SAMPLED;
  const remote = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : null;
}
