import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SERVER_INFO } from './config/version.js';
import { withComponents } from './platform/rest/document-components.js';

/** Groups of routes, in the order a newcomer needs them. */
const tags = {
  projects: 'Projects, their repositories and members.',
  tasks: 'Tasks of a project.',
  workflow: 'Workflow of a task: claim, assign, progress, review.',
  thoughts: 'Thought records: what was planned, decided and learned on a task.',
  attempts: 'Attempts at a task: start, wait, review, follow up, stop.',
  deliveries: 'What becomes of the work: preview, update, merge, undo.',
  sessions: 'Conversations with an executor, and their queued messages.',
  logs: 'Logs of runs, paged or streamed.',
  usage: 'Tokens and cost that agents report.',
  executors: 'Executors that can work on an attempt.',
  runners: 'Processes that serve requests and run turns.',
  approvals: 'Actions that agents ask permission for.',
  workers: 'People and agents who own tasks.',
  tokens: 'Who calls: the caller itself, and service tokens for programs.',
  events: 'What changes in projects, to wait for or to stream.',
  audit: 'Who changed what, and who came in.',
  backup: 'All that a server has, in one file.',
  idempotency: 'Outcome of requests sent with an idempotency key.',
  toolsets: 'The MCP tools over plain HTTP.',
  transfer: 'Projects as files: export, and import of exports and of the work of other programs.',
  'tool-invocations': 'Usage statistics of the tools.',
  page: 'Sign-in of the page for people.',
  probes: 'Health and metrics for operators; no token required.',
};

/** The OpenAPI document, from the same field decorators that check the input.
 *  @param base prefix that a proxy publishes the server under */
export function openApiDocument(app: INestApplication, base: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle(SERVER_INFO.title)
    .setDescription(
      'Hand work to coding agents: projects, tasks and attempts. Agents use MCP at POST /mcp. ' +
        'Every error has the same envelope: code, message, retryable, hint, details. ' +
        'Unknown fields are refused by name. ' +
        'Names such as list_tasks in descriptions are MCP tools with an equivalent route.',
    )
    .setVersion(SERVER_INFO.version)
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(base || '/')
    .addSecurity('bearer', {
      type: 'http',
      scheme: 'bearer',
      description: 'TASKFLOW_SERVICE_TOKEN, or a service token; beside each operation stands the scope it asks for.',
    });
  for (const [name, description] of Object.entries(tags)) builder.addTag(name, description);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    autoTagControllers: false,
    operationIdFactory: (_, method) => method, // methods of controllers are named after their operations
  });
  return withComponents(document);
}

export function serveDocumentation(app: INestApplication, base: string): void {
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app, base), {
    jsonDocumentUrl: 'api/openapi.json',
    customSiteTitle: 'Taskyard API',
  });
}
