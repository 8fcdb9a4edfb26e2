import { Logger } from '@nestjs/common';
import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import type { Environment } from '../../config/environment.js';
import { SERVER_INFO } from '../../config/version.js';
import { settledWithin } from '../process/settled-within.js';
import { INSTANCE_ID } from './process-log.js';

/** A collector that does not answer does not hold up the end of the server. */
const FLUSH_WITHIN_MS = 3_000;

export interface Tracing {
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Loads the SDK of OpenTelemetry where its standard variables name a collector; nothing otherwise. Sampling, headers
 *  and resource attributes are its own variables. */
export async function startTracing(environment: Environment): Promise<Tracing> {
  const url = collectorOf(environment);
  if (url === null) return { stop: () => Promise.resolve() };
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  diag.setLogger(complaints(), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const own = resources.resourceFromAttributes({
    'service.name': SERVER_INFO.name,
    'service.version': SERVER_INFO.version,
    'service.instance.id': INSTANCE_ID,
  });
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new NodeTracerProvider({
    resource: own.merge(given),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  provider.register();
  return { stop: async () => void (await settledWithin(provider.shutdown(), FLUSH_WITHIN_MS)) };
}

function collectorOf(environment: Environment): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_SDK_DISABLED } = environment;
  if (OTEL_SDK_DISABLED === 'true') return null;
  if (OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  return OTEL_EXPORTER_OTLP_ENDPOINT ? `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces` : null;
}

/** The same complaint, for example of each batch while the collector is away, is made once. */
function complaints(): DiagLogger {
  const logger = new Logger('Tracing');
  let last = '';
  const complain = (text: string) => {
    if (text !== last) logger.warn(text.slice(0, 500));
    last = text;
  };
  const quiet = () => undefined;
  return { error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet };
}
