import { authenticated } from './authenticated.mjs';
import { backup } from './backup.mjs';
import { backlog } from './backlog.mjs';
import { boardPage } from './board-page.mjs';
import { boot } from './boot.mjs';
import { changes } from './changes.mjs';
import { checks } from './checks.mjs';
import { claims } from './claims.mjs';
import { commandLine } from './command-line.mjs';
import { colouredDiff } from './coloured-diff.mjs';
import { createTask } from './create-task.mjs';
import { delivery } from './delivery.mjs';
import { events } from './events.mjs';
import { flood } from './flood.mjs';
import { follower } from './follower.mjs';
import { hostile } from './hostile.mjs';
import { isolation } from './isolation.mjs';
import { network } from './network.mjs';
import { largeProject } from './large-project.mjs';
import { listTasks } from './list-tasks.mjs';
import { output } from './output.mjs';
import { page } from './page.mjs';
import { port } from './port.mjs';
import { protocol } from './protocol.mjs';
import { runners } from './runners.mjs';
import { start } from './start.mjs';
import { taskList } from './task-list.mjs';
import { transfer } from './transfer.mjs';

/** Every bar by the name it is chosen by, in the order of the results. */
export const bars = {
  protocol,
  authenticated,
  'list-tasks': listTasks,
  'task-list': taskList,
  'create-task': createTask,
  events,
  flood,
  output,
  page,
  'board-page': boardPage,
  'coloured-diff': colouredDiff,
  start,
  isolation,
  network,
  backlog,
  changes,
  checks,
  delivery,
  port,
  claims,
  runners,
  boot,
  'command-line': commandLine,
  follower,
  transfer,
  backup,
};

/** Only when asked for by name: what takes long, or a minute in which nothing else should be measured. */
export const namedBars = { hostile, 'large-project': largeProject };
