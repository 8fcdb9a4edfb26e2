import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { givenProject, untilEnded, untilLine } from './board.js';
import { moveMain } from './delivery-ground.js';
import type { TestServer } from './server.js';

/** A view, a state of it or a dialog over it: its address below `/ui`, and what leads from there to the state. */
export type PageRow = readonly [name: string, address: string, act?: (page: Page) => Promise<unknown>];

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click();
const press = (key: string, shown: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'New task' }).waitFor();
  await page.keyboard.press(key);
  await page.getByRole('dialog', { name: shown }).waitFor();
};

async function comment(page: Page): Promise<void> {
  await page.locator('.diff-line .comment').last().focus();
  await page.keyboard.press('Enter');
}

/** Prints in every colour of a terminal, bright and not, and fails. */
const COLOURS = 'for c in 0 1 2 3 4 5 6 7; do printf "\\033[3${c}mcolour\\033[9${c}mbright\\033[0m\\n"; done';
const COLOURS_AND_END = `${COLOURS}; echo "Error: no table" >&2; exit 3`;

const SETTINGS = ['general', 'repositories', 'checks', 'members', 'secrets', 'network', 'approvals', 'usage', 'audit'];
const OF_INSTANCE = ['people', 'tokens', 'runners', 'calls', 'audit'];

/** Everything that the page shows, on a server that is filled for it. */
export async function givenRows(server: TestServer): Promise<PageRow[]> {
  const { project_id, repository } = await givenProject(server);
  const ground = new Ground(server, project_id);
  const work = 'plan look; write\nwrite a.txt <<< alpha\nwrite src/b.ts <<< one\nrun exit 3\nsay All **done**.';
  const done = await ground.ended('Read `config` and **write** it', { executor: 'DEMO', prompt: work });
  const failed = await ground.ended('Fails', { executor: 'SHELL', prompt: COLOURS_AND_END });
  const merged = await ground.ended('Merged', { executor: 'DEMO', prompt: 'write m.txt <<< m' });
  repository.git('checkout', '--quiet', '-b', 'elsewhere');
  await server.rest.answers(200, 'POST', `/api/attempts/${merged.attempt_id}/merge`, {});
  const conflict = await ground.ended('Conflicts', { executor: 'DEMO', prompt: 'write readme.md <<< ours' });
  moveMain(repository, { 'readme.md': 'theirs\n' });
  const checked = await givenProject(server, { name: 'Checked out' });
  const asks = await new Ground(server, checked.project_id).ended('Merge it', {
    executor: 'DEMO',
    prompt: 'write a.txt <<< a',
  });
  const question = await ground.started('Asks', { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo x' });
  const running = await ground.running();
  const at = `/p/${project_id}`;
  const attempt = ({ attempt_id }: Started, part = '') => `${at}/a/${attempt_id}${part}`;
  return [
    ['board', at],
    ['list', `${at}?view=list`],
    ['no match', `${at}?search=nothing`],
    ['new task', at, button('New task')],
    ['help', at, press('?', 'Help')],
    ['palette', at, press('Control+k', 'Command palette')],
    ['themes', at, button('Theme')],
    ['move', at, button(/^Move /)],
    ...SETTINGS.map((section): PageRow => [`settings: ${section}`, `${at}/settings/${section}`]),
    ...OF_INSTANCE.map((section): PageRow => [`instance: ${section}`, `/instance/${section}`]),
    ['task', `${at}/t/${done.task_id}`, (page) => page.locator('summary', { hasText: 'Properties' }).click()],
    ['edit task', `${at}/t/${done.task_id}`, button('Edit')],
    ['no task', `${at}/t/${randomUUID()}`],
    ['conversation', attempt(done)],
    ['new attempt', attempt(done), button('New attempt')],
    ['log', attempt(done, '/log')],
    ['changes', attempt(done, '/changes')],
    ['comment', attempt(done, '/changes'), comment],
    ['side by side', attempt(done, '/changes'), (page) => page.getByRole('checkbox', { name: 'Side by side' }).check()],
    ['checks', attempt(done, '/checks')],
    ['add a check', `${at}/settings/checks`, button('Add a check to web')],
    ['delivery', attempt(done, '/delivery')],
    ['failed', attempt(failed)],
    ['colours of a log', attempt(failed, '/log')],
    ['merged', attempt(merged, '/changes')],
    ['delivered', attempt(merged, '/delivery')],
    ['conflict', attempt(conflict, '/delivery')],
    ['question', attempt(question)],
    ['denial', attempt(question), button('Deny')],
    ['running', attempt(running)],
    ['merge', `/p/${checked.project_id}/a/${asks.attempt_id}/delivery`, button('Merge')],
    ['no attempt', `${at}/a/${randomUUID()}`],
    ['inbox', '/inbox'],
    ['work', '/work'],
    ['search', '/search?q=write'],
    ['projects', '/projects'],
    ['executors', '/executors'],
    ['throughput', '/throughput'],
    ['nowhere', '/nothing/here'],
  ];
}

interface Started {
  task_id: string;
  attempt_id: string;
}

class Ground {
  constructor(
    private readonly server: TestServer,
    private readonly project_id: string,
  ) {}

  async started(title: string, body: object): Promise<Started> {
    const { rest } = this.server;
    const { task_id } = await rest.answers(201, 'POST', `/api/projects/${this.project_id}/tasks`, { title });
    const { attempt_id } = await rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body);
    return { task_id: task_id as string, attempt_id: attempt_id as string };
  }

  async ended(title: string, body: object): Promise<Started> {
    const started = await this.started(title, body);
    await untilEnded(await this.server.mcp(), started.attempt_id);
    return started;
  }

  /** With a message that waits for its end. */
  async running(): Promise<Started> {
    const held = this.server.gates.gate();
    const started = await this.started('Runs', { executor: 'SHELL', prompt: `echo begun; ${held.wait}` });
    await untilLine(await this.server.mcp(), started.attempt_id, 'begun');
    const message = { action: 'queue', prompt: 'echo next' };
    await this.server.rest.answers(200, 'POST', `/api/attempts/${started.attempt_id}/follow-up`, message);
    return started;
  }
}
