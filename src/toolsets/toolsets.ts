import type { Toolset } from '../mcp/tool.js';
import { approvalsToolset } from './approvals/approvals.toolset.js';
import { colibriToolset } from './colibri/colibri.toolset.js';
import { kanbanToolset } from './kanban/kanban.toolset.js';
import { taskflowToolset } from './taskflow/taskflow.toolset.js';

/** Every dialect this server speaks. */
export const toolsets: readonly Toolset[] = [kanbanToolset, taskflowToolset, colibriToolset, approvalsToolset];
