import { AsyncResource } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import type { Environment } from '../../config/environment.js';

export interface Tracing {
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Loads the SDK of OpenTelemetry where its standard variables name a collector; nothing otherwise. Sampling, headers
 *  and resource attributes are its own variables. */
export async function startTracing(environment: Environment): Promise<Tracing> {
  const url = collectorOf(environment);
  if (url === null) return { stop: () => Promise.resolve() };
  const { exportTraces } = await import('./trace-exporter.js');
  diag.setLogger(complaints(), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return { stop: exportTraces(url) };
}

function collectorOf(environment: Environment): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED } = environment;
  if (OTEL_SDK_DISABLED === 'true') return null;
  if (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  return OTEL_EXPORTER_OTLP_ENDPOINT ? `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces` : null;
}

/** Logs the same complaint once, not for each batch while the collector is away. Bound to the context of the start,
 *  since a batch is sent from within whatever work ended its first span, and is not about that work. */
function complaints(): DiagLogger {
  const logger = new Logger('Tracing');
  let last = '';
  const complain = AsyncResource.bind((text: string) => {
    if (text !== last) logger.warn(text.slice(0, 500));
    last = text;
  });
  const quiet = () => undefined;
  return { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet };
}
