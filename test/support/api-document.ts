import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../../src/app.module.js';
import { loadEnvironment } from '../../src/config/environment.js';
import { openApiDocument } from '../../src/documentation.js';

/** The OpenAPI document of the real modules. In preview mode Nest builds no provider: it opens no database, file or
 *  port. */
export async function readApiDocument(): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forServer(loadEnvironment({}), ''),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  try {
    return JSON.parse(JSON.stringify(openApiDocument(app, ''))) as OpenAPIObject;
  } finally {
    await app.close();
  }
}
