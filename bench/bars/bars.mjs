import { listTasks } from './list-tasks.mjs';
import { protocol } from './protocol.mjs';

/** Every bar by the name it is chosen by, in the order of the results. */
export const bars = { protocol, listTasks };
