import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { SERVER_INFO } from '../../config/version.js';
import { settledWithin } from '../process/settled-within.js';
import { INSTANCE_ID } from './process-log.js';

/** A collector that does not answer must not delay the end of the server. */
const FLUSH_WITHIN_MS = 3_000;

/** Loads the SDK, which is large, and sends all spans to a collector from now on.
 *  @returns sends what is left */
export function exportTraces(url: string): () => Promise<void> {
  const own = resourceFromAttributes({
    'service.name': SERVER_INFO.name,
    'service.version': SERVER_INFO.version,
    'service.instance.id': INSTANCE_ID,
  });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  provider.register();
  return async () => void (await settledWithin(provider.shutdown(), FLUSH_WITHIN_MS));
}
