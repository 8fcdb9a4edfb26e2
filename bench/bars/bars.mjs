import { backlog } from './backlog.mjs';
import { boot } from './boot.mjs';
import { changes } from './changes.mjs';
import { createTask } from './create-task.mjs';
import { listTasks } from './list-tasks.mjs';
import { output } from './output.mjs';
import { protocol } from './protocol.mjs';
import { start } from './start.mjs';
import { taskList } from './task-list.mjs';

/** Every bar by the name it is chosen by, in the order of the results. */
export const bars = {
  protocol,
  'list-tasks': listTasks,
  'task-list': taskList,
  'create-task': createTask,
  output,
  start,
  backlog,
  changes,
  boot,
};
