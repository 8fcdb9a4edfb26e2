import type { Resource } from '../oidc/protected-resources.js';
import { wordFor } from '../oidc/rights.js';
import { SCOPES } from '../platform/access/scopes.js';
import { toolDefinitionOf, type Toolset } from '../mcp/tool.js';
import { approvalsToolset } from './approvals/approvals.toolset.js';
import { colibriToolset } from './colibri/colibri.toolset.js';
import { kanbanToolset } from './kanban/kanban.toolset.js';
import { taskflowToolset } from './taskflow/taskflow.toolset.js';

/** Every dialect this server speaks. */
export const toolsets: readonly Toolset[] = [kanbanToolset, taskflowToolset, colibriToolset, approvalsToolset];

/** Resources for which clients request tokens: the MCP endpoints with the scopes of their tools, and REST. */
export const protectedResources: readonly Resource[] = [
  ...toolsets.map(({ path, title, tools }) => ({
    path,
    title,
    scopes: SCOPES.filter((scope) => tools.some((tool) => wordFor(toolDefinitionOf(tool).scope) === scope)),
  })),
  { path: '/api', title: 'Taskyard REST', scopes: ['read', 'write'] },
];
