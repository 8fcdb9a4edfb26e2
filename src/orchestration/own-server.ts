import type { AddressInfo, Server } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { McpEndpoint } from '../executors/executor.js';

/** This server as the agents it launches see it. */
@Injectable()
export class OwnServer {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment, private readonly http: HttpAdapterHost) {}

  /** The MCP endpoint bound to an attempt; null where agents have no way in: nothing listens here, or a token is needed. */
  endpointFor(attempt_id: string): McpEndpoint | null {
    const base = this.environment.AGENT_API_URL || this.ownAddress();
    if (base === null || this.environment.TASKFLOW_SERVICE_TOKEN) return null;
    return { name: 'taskyard', url: `${base}/mcp?attempt_id=${attempt_id}`, headers: {} };
  }

  private ownAddress(): string | null {
    const address = (this.http.httpAdapter.getHttpServer() as Server).address() as AddressInfo | null;
    return address && `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }
}
