import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SERVER_INFO } from './version.js';

/** Groups of routes, in the order in which a newcomer meets them. */
const tags = {
  projects: 'Projects, their repositories and members.',
  tasks: 'What is to be done.',
  workflow: 'Moves of a task: claim, assign, progress, review.',
  thoughts: 'What was planned, decided and learned on a task.',
  attempts: 'Tries at a task: start, wait, review, follow up, stop.',
  sessions: 'Conversations with an executor, and the message that waits.',
  logs: 'What runs say, page by page or as a stream.',
  executors: 'What can work on an attempt.',
  approvals: 'What agents ask permission for.',
  workers: 'People and agents.',
  idempotency: 'What became of a request.',
  toolsets: 'The MCP tools over plain HTTP.',
  'tool-invocations': 'How the tools were used.',
  probes: 'For operators; they need no token.',
};

/** The OpenAPI document, from the same field decorators that check the input. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(SERVER_INFO.title)
    .setDescription(
      [
        'Hand work to coding agents: projects, tasks and attempts. Agents use MCP at POST /mcp.',
        'Every refusal is one envelope: code, message, retryable, hint, details. Unknown fields are refused by name.',
        'Names such as list_tasks in descriptions are MCP tools; the routes do the same.',
      ].join(' '),
    )
    .setVersion(SERVER_INFO.version)
    .addBearerAuth({ type: 'http', description: 'TASKFLOW_SERVICE_TOKEN, where the server has one.' });
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  return SwaggerModule.createDocument(app, builder.build(), {
    autoTagControllers: false,
    operationIdFactory: (_, method) => method, // methods of controllers are named after their operations
  });
}

export function serveDocumentation(app: INestApplication): void {
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'api/openapi.json',
    customSiteTitle: 'Taskyard API',
  });
}
