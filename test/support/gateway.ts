import type { FastifyInstance } from 'fastify';
import { loadEnvironment } from '../../src/config/environment.js';
import { createGateway } from '../../src/gateway/gateway.js';
import { rememberGateway } from './local-tokens.js';
import { McpClient } from './mcp-client.js';

/** The gateway in this process, on a free port of 127.0.0.1, in front of an API. */
export class TestGateway {
  private readonly clients: McpClient[] = [];

  private constructor(
    readonly server: FastifyInstance,
    readonly url: string,
  ) {}

  static async start(apiUrl: string, settings: Record<string, string> = {}): Promise<TestGateway> {
    const server = await createGateway(
      loadEnvironment({ TASKFLOW_API_URL: apiUrl, RATE_LIMIT_PER_MINUTE: '0', ...settings }),
    );
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    rememberGateway(url, apiUrl);
    return new TestGateway(server, url);
  }

  async mcp(query = '', headers: Record<string, string> = {}): Promise<McpClient> {
    const client = await McpClient.connect(`${this.url}/mcp${query}`, headers);
    this.clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.server.close();
  }
}
