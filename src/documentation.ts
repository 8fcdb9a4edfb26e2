import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SERVER_INFO } from './version.js';

/** The OpenAPI document, from the same field decorators that check the input. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(SERVER_INFO.title)
    .setDescription('Hand work to coding agents: projects, tasks and attempts. Agents use MCP at POST /mcp. Every refusal is one envelope: code, message, retryable, hint, details.')
    .setVersion(SERVER_INFO.version)
    .addBearerAuth({ type: 'http', description: 'TASKFLOW_SERVICE_TOKEN, where the server has one.' })
    .build();
  return SwaggerModule.createDocument(app, config, { autoTagControllers: false, operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}` });
}

export function serveDocumentation(app: INestApplication): void {
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app), { jsonDocumentUrl: 'api/openapi.json', customSiteTitle: 'Taskyard API' });
}
