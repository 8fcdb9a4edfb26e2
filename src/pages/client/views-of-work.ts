/** What people work with beside boards and attempts, fetched as one file: it is smaller so than each by itself. */
export { TaskTable } from './board/task-table.js';
export { InboxPage } from './inbox/inbox-page.js';
export { Commands } from './search/palette.js';
export { SearchPage } from './search/search-page.js';
export { WorkPage } from './search/work-page.js';
export { DeletedTasks } from './task/deleted-tasks.js';
export { TaskPage } from './task/task-page.js';
