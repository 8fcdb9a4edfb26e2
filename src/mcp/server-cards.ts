import type { FastifyInstance } from 'fastify';
import { legacyVersions } from './protocol/legacy-era.js';
import { modernVersions } from './protocol/modern-era.js';
import type { ServerInfo } from './protocol/era.js';
import type { Toolset } from './tool.js';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json';
const CARD_TYPE = 'application/mcp-server-card+json';
const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type',
  'cache-control': 'public, max-age=3600',
};
const OPEN = { right: null };

/** Cards by which clients learn what the endpoints are before they connect, and the catalogue of them (SEP-2127).
 *  Addresses come from PUBLIC_URL, or from where the server listens, never from a request. */
export class ServerCards {
  constructor(
    private readonly publicUrl: string,
    private readonly toolsets: readonly Toolset[],
    private readonly info: ServerInfo,
  ) {}

  serve(server: FastifyInstance): void {
    const origin = () => this.publicUrl || server.listeningOrigin;
    const publish = (path: string, type: string, document: () => object) =>
      server.get(path, { config: OPEN }, (_, reply) => reply.headers(PUBLIC_HEADERS).type(type).send(document()));
    for (const toolset of this.toolsets)
      publish(`${toolset.path}/server-card`, CARD_TYPE, () => this.card(toolset, origin()));
    publish('/.well-known/ai-catalog.json', 'application/json', () => ({
      specVersion: 'draft',
      entries: this.toolsets.map((toolset) => entry(toolset, origin())),
    }));
  }

  private card({ id, path, title, introduction }: Toolset, origin: string): object {
    return {
      $schema: SCHEMA,
      name: `${new URL(origin).hostname.split('.').reverse().join('.')}/${id}`,
      version: this.info.version,
      title,
      description: introduction.slice(0, introduction.indexOf('.') + 1),
      remotes: [
        {
          type: 'streamable-http',
          url: origin + path,
          supportedProtocolVersions: [...modernVersions, ...legacyVersions],
        },
      ],
    };
  }
}

const entry = ({ id, path, title }: Toolset, origin: string): object => ({
  identifier: `urn:air:${new URL(origin).hostname}:${id}`,
  displayName: title,
  type: CARD_TYPE,
  url: `${origin}${path}/server-card`,
});
