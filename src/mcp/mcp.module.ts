import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { isRun } from '../platform/access/rights.js';
import { PrincipalSource } from '../platform/access/principal-source.js';
import { AttemptBinding, CompletionSource, InvocationSink, Offers, References, RunInput } from './providers.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { Dispatcher } from './protocol/dispatcher.js';
import type { ServerInfo } from './protocol/era.js';
import { ToolInvoker } from './tool-invoker.js';
import type { Toolset } from './tool.js';

const OPTIONS = Symbol('McpOptions');
interface McpOptions {
  toolsets: readonly Toolset[];
  server: ServerInfo;
}

/** Serves toolsets over MCP. Tool classes and what `providers.ts` names are providers of any other module. */
@Module({})
export class McpModule implements OnModuleInit {
  static forToolsets(toolsets: readonly Toolset[], server: ServerInfo): DynamicModule {
    return {
      module: McpModule,
      global: true,
      providers: [
        { provide: OPTIONS, useValue: { toolsets, server } satisfies McpOptions },
        {
          provide: ToolInvoker,
          inject: [ModuleRef],
          useFactory: (modules: ModuleRef) =>
            new ToolInvoker(
              toolsets,
              (tool) => modules.get(tool, { strict: false }),
              () => modules.get(InvocationSink, { strict: false }),
              () => modules.get(References, { strict: false }),
              (principal) => modules.get(PrincipalSource, { strict: false }).enrol(principal),
              (args, caller) =>
                isRun(caller) ? modules.get(RunInput, { strict: false }).storable(args, caller) : Promise.resolve(args),
            ),
        },
      ],
      exports: [ToolInvoker],
    };
  }

  constructor(
    @Inject(OPTIONS) private readonly options: McpOptions,
    private readonly host: HttpAdapterHost,
    private readonly modules: ModuleRef,
    private readonly invoker: ToolInvoker,
  ) {}

  /** Routes must be registered before the server listens; later hooks still apply to them. */
  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    const find = <T>(token: abstract new () => T): T => this.modules.get<T>(token, { strict: false });
    for (const toolset of this.options.toolsets) {
      const providers = [find(CompletionSource), find(Offers)] as const;
      const dispatcher = new Dispatcher(toolset, this.options.server, this.invoker, ...providers);
      new McpEndpoint(toolset, dispatcher, find(AttemptBinding)).register(server);
    }
  }
}
