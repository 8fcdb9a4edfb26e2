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

/** What goes on: each line that is logged meanwhile has its ids, and each span its span as parent. */
export interface Scope {
  /** Asked when a line is logged, which is seldom. */
  ids: () => Ids;
  span: Span;
  parent: Scope | null;
}

const scopes = new AsyncValue<Scope>();
/** Without an SDK its spans cost a call, and carry nothing but the ids that a caller sent. */
const tracer = trace.getTracer('taskyard');

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A scope of its own; begins a span, which `end` ends.
 *  @param traceparent of the caller, as W3C Trace Context writes it; what is malformed is as good as none */
export function openScope(name: string, ids: Scope['ids'], options: SpanOptions, traceparent?: unknown): Scope {
  const parent = scopes.get() ?? null;
  const above = remoteParent(traceparent) ?? (parent ? contextOf(parent.span) : context.active());
  return { ids, span: tracer.startSpan(name, options, above), parent };
}

/** Runs `work` in a scope that is open. */
export const within = <T>(scope: Scope, work: () => T): T =>
  scopes.run(scope, () => (isTraced(scope.span) ? context.with(contextOf(scope.span), work) : work()));

/** Runs `work` in a scope and a span that end with it. What it throws is noted by its code or class, never by its
 *  text. Chained, as to await it would cost two promises more, of which each keeps the scope. */
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

/** What fails before it is under way is a promise that fails, too. */
function begun<T>(work: (span: Span) => Promise<T>, span: Span): Promise<T> {
  try {
    return work(span);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A span alone, for what logs nothing of its own. */
export const inSpan = <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> =>
  inScope(name, noIds, { kind: SpanKind.INTERNAL, ...options }, work);

export function failed(span: Span, reason: string): void {
  span.setAttribute('error.type', reason).setStatus({ code: SpanStatusCode.ERROR });
}

/** What a job or another process goes on with; undefined where nobody traces. */
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

/** Where nobody traces, spans stand for nothing, and contexts that hold them would be made for nothing. */
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
