import { boot } from './boot.mjs';
import { changes } from './changes.mjs';
import { listTasks } from './list-tasks.mjs';
import { output } from './output.mjs';
import { protocol } from './protocol.mjs';
import { start } from './start.mjs';

/** Every bar by the name it is chosen by, in the order of the results. */
export const bars = { protocol, listTasks, output, start, changes, boot };
