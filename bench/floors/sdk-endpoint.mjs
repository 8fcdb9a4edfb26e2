import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A stateless MCP endpoint as the SDK's own examples write it: a server and a transport for each request, JSON
 *  answers.
 *  @param callTool answers the structured content of a call */
export function sdkEndpoint(callTool) {
  return async (request, reply) => {
    reply.hijack();
    const server = new Server({ name: 'floor', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const structuredContent = await callTool(params.arguments);
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    });
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    reply.raw.on('close', () => {
      void transport.close();
      void server.close();
    });
    await server.connect(transport);
    await transport.handleRequest(request.raw, reply.raw, request.body);
  };
}
