import type { AddressInfo, Server } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Execution } from '../executions/execution.entity.js';
import { RunTokensService } from '../executions/run-tokens.service.js';
import type { McpEndpoint } from '../executors/executor.js';
import { runPathOf } from '../platform/access/bearer-tokens.js';
import { AppError } from '../platform/errors/app-error.js';

const NO_ADDRESS = 'it speaks MCP, a runner serves none, and AGENT_API_URL is not set on it';

/** This server's address for the agents it starts. */
@Injectable()
export class OwnServer {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly http: HttpAdapterHost,
    private readonly tokens: RunTokensService,
  ) {}

  /** The MCP endpoint bound to the attempt, with a token for the execution. @throws AppError executor_unavailable if no
   *  server is known */
  async endpointFor(
    { id, attempt_id, run_reason }: Pick<Execution, 'id' | 'attempt_id' | 'run_reason'>,
    executor: string,
  ): Promise<McpEndpoint> {
    const base = this.environment.AGENT_API_URL || this.ownAddress();
    if (base === null) throw new AppError('executor_unavailable', { executor, reason: NO_ADDRESS });
    const headers = { authorization: `Bearer ${await this.tokens.issue(id)}` };
    const path = runPathOf({ isReviewer: run_reason === 'review' });
    return { name: 'taskyard', url: `${base}${path}?attempt_id=${attempt_id}`, headers };
  }

  private ownAddress(): string | null {
    if (this.environment.ROLE === 'runner') return null; // it listens for probes alone
    const address = (this.http.httpAdapter.getHttpServer() as Server).address() as AddressInfo | null;
    return address && `http://${reachable(address)}:${address.port}`;
  }
}

/** A server that listens everywhere is reached on loopback. */
function reachable({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return family === 'IPv6' ? `[${address}]` : address;
}
