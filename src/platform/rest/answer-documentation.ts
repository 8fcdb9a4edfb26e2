import { ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { NDJSON } from '../access/line-body.js';
import type { Class } from '../fields/field-node.js';

/** Events of a stream by name, with the class of their data. */
export interface EventTypes {
  events: Record<string, Class>;
}
export type Answer = Class | EventTypes | 'text' | 'patch' | 'archive' | 'lines';

/** Success response of a route.
 *  @param other what it answers to another Accept
 *  @param location whether it names the address of what it creates */
export function answerDocumentation(
  status: number,
  output: Answer,
  other?: EventTypes | 'csv',
  location?: string,
): MethodDecorator[] {
  const headers = {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...(location === undefined ? {} : { Location: { $ref: '#/components/headers/Location' } }),
  };
  const streamed = [output, other].filter((one): one is EventTypes => typeof one === 'object');
  return [
    ...streamed.flatMap(streamParts),
    ApiResponse({
      status,
      description: isStream(output)
        ? 'A stream of events.'
        : typeof output === 'string'
          ? `The ${output}.`
          : 'Success.',
      headers,
      content: { ...contentOf(output), ...(other === undefined ? {} : contentOf(other)) },
    }),
    ...(typeof output === 'function' ? [ApiExtraModels(output)] : []),
  ];
}

const isStream = (output: Answer | 'csv'): output is EventTypes => typeof output === 'object';

function contentOf(
  output: Answer | 'csv',
): Record<string, { schema: { type: 'string'; format?: 'binary' } | { $ref: string } }> {
  if (isStream(output)) return { 'text/event-stream': streamSchema(output) };
  if (output === 'text') return { 'text/plain': { schema: { type: 'string' } } };
  if (output === 'patch') return { 'text/x-patch': { schema: { type: 'string' } } };
  if (output === 'lines') return { [NDJSON]: { schema: { type: 'string', format: 'binary' } } };
  if (output === 'archive') return { 'application/gzip': { schema: { type: 'string', format: 'binary' } } };
  if (output === 'csv') return { 'text/csv': { schema: { type: 'string' } } };
  return { 'application/json': { schema: { $ref: getSchemaPath(output) } } };
}

/** OpenAPI cannot describe streams: each event is named beside the schema of its data. */
function streamSchema({ events }: EventTypes): { schema: { type: 'string' } } {
  const types = Object.entries(events).map(([name, data]) => [name, { $ref: getSchemaPath(data.name) }] as const);
  const named = Object.entries(events).map(([name, data]) => `\`${name}\` with data of ${data.name}`);
  const schema = {
    type: 'string' as const,
    description: `Server-sent events: ${named.join(', ')} as JSON. The id of an event resumes the stream after it.`,
    'x-event-types': Object.fromEntries(types),
  };
  return { schema };
}

function streamParts({ events }: EventTypes): MethodDecorator[] {
  return [
    ApiExtraModels(...Object.values(events)),
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'Id of the last event received; the stream resumes after it. -1 starts with the first event.',
      schema: { type: 'integer', minimum: -1 },
    }),
  ];
}
