import type { Toolset } from '../mcp/tool.js';
import { kanbanToolset } from './kanban/kanban.toolset.js';

/** Every dialect this server speaks. */
export const toolsets: readonly Toolset[] = [kanbanToolset];
