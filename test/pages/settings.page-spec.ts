import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, type Project, untilEnded } from '../support/board.js';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const SECTIONS = [
  'General',
  'Repositories',
  'Checks',
  'Members',
  'Secrets',
  'Network',
  'Standing approvals',
  'Usage',
  'Audit log',
];

describePages('the settings of a project', () => {
  const server = TestServer.use();
  let project_id: string;
  let repository: Project['repository'];
  beforeAll(async () => {
    ({ project_id, repository } = await givenProject(server, { name: 'Set up' }));
  });

  const at = (section = '') => `${server.url}/ui/p/${project_id}/settings${section}`;
  const read = () => server.rest.answers(200, 'GET', `/api/projects/${project_id}`);
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Settings' });
  const tokenAs = async (user_id: string, scopes = ['read', 'write', 'execute']) => {
    const made = await server.rest.answers(201, 'POST', '/api/tokens', { name: `for ${user_id}`, scopes, user_id });
    return made.token as string;
  };

  it('lead from the board through every section', async () => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
    for (const name of SECTIONS) {
      await navigation(page).getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
    }
  });

  it('change its name, description and policy, and keep what is typed until then', async () => {
    const page = await browser.open(at());
    await page.getByLabel('Name', { exact: true }).fill('Set up anew');
    await page.getByLabel('Description').fill('Of some weight.');
    await page.reload();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Set up anew');
    await page.getByLabel('Changes of agents are').selectOption('per_turn');
    await page.getByLabel('Labels that a runner needs').fill('java21, big');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').waitFor();
    expect(await read()).toMatchObject({
      name: 'Set up anew',
      description: 'Of some weight.',
      auto_commit: 'per_turn',
      runs_on: ['big', 'java21'],
    });
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
    await page.getByLabel('Labels that a runner needs').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually('any runner', async () => (await read()).runs_on.length === 0);
  });

  it('add, change and remove a repository with its branch and scripts', async () => {
    repository.git('branch', 'next');
    const page = await browser.open(at('/repositories'));
    const list = page.getByRole('list', { name: 'Repositories' });
    await page.getByRole('textbox', { name: 'Path or URL' }).fill(server.repositories.repository('further').dir);
    await page.getByText('Name, branch and scripts').click();
    await page.getByLabel('Name of the repository').fill('further');
    await page.getByLabel('Set-up script').fill('npm ci');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await list.getByText('Set-up script').click();
    await list.getByText('npm ci').waitFor();
    await list.getByRole('button', { name: 'Remove further' }).click();
    await page.getByRole('dialog', { name: 'Remove further?' }).getByRole('button', { name: 'Remove' }).click();
    await list.getByRole('heading', { name: 'further' }).waitFor({ state: 'detached' });

    await list.getByRole('button', { name: 'Edit web' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings of web' });
    await dialog.getByLabel('Target branch').fill('nowhere');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    browser.forgive(/status of 4/);
    await dialog.getByLabel('Target branch').fill('next');
    await dialog.getByLabel('Clean-up script').fill('npm run format');
    await expectFitting(page, 'edit a repository');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list.getByText('next', { exact: true }).waitFor();
    const { repos } = await server.rest.answers(200, 'GET', `/api/projects/${project_id}/repos`);
    expect(repos).toMatchObject([{ default_target_branch: 'next', cleanup_script: 'npm run format' }]);
  });

  it('say who is in it: people and groups with their roles, and never without an owner', async () => {
    const page = await browser.open(at('/members'));
    const list = page.getByRole('list', { name: 'Members' });
    const add = async (kind: string, label: string, who: string, role: string) => {
      await page.getByRole('combobox', { name: 'Who', exact: true }).selectOption(kind);
      await page.getByLabel(label, { exact: true }).fill(who);
      await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption(role);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await list.getByText(who).first().waitFor();
    };
    await page.getByText('open to everybody').waitFor();
    await add('user_id', 'User id', 'ada', 'owner');
    await list.getByText('make somebody else owner first').waitFor();
    expect(await list.getByLabel('Role of ada').isDisabled()).toBe(true);
    expect(await list.getByRole('button', { name: 'Remove ada' }).count()).toBe(0);
    await add('group', 'Group', '/company/eng', 'viewer');
    await add('user_id', 'User id', 'bob', 'member');
    await expectFitting(page, 'members');
    await list.getByLabel('Role of /company/eng').selectOption('maintainer');
    await list.getByLabel('Role of bob').selectOption('owner');
    await list.getByText('make somebody else owner first').waitFor({ state: 'detached' });
    const { members } = await server.rest.answers(200, 'GET', `/api/projects/${project_id}/members`);
    expect(members).toMatchObject([
      { name: '/company/eng', type: 'group', role: 'maintainer' },
      { name: 'ada', role: 'owner' },
      { name: 'bob', role: 'owner' },
    ]);
    for (const name of ['/company/eng', 'bob']) {
      await list.getByRole('button', { name: `Remove ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await list.getByText(name).first().waitFor({ state: 'detached' });
    }
  });

  it('show a viewer what there is, and nothing to press', async () => {
    const viewer = { user_id: 'vera', role: 'viewer' };
    await server.rest.answers(201, 'POST', `/api/projects/${project_id}/members`, viewer);
    const page = await browser.open(at(), {}, await tokenAs('vera'));
    await page.getByRole('banner').getByText('vera, viewer').waitFor();
    await page.getByText('here you are viewer').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: /Save|Delete project/ }).count()).toBe(0);
    expect(await navigation(page).getByRole('link').allTextContents()).toEqual(
      SECTIONS.filter((name) => !['Secrets', 'Standing approvals'].includes(name)),
    );
    for (const section of ['/secrets', '/approvals']) {
      await page.goto(at(section));
      await page.getByText('at least member').waitFor();
      await expectFitting(page, section);
    }
    await page.goto(at('/members'));
    await page.getByRole('list', { name: 'Members' }).getByText('vera', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  it('list what agents need not ask, until it is revoked', async () => {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Asks' });
    const asking = { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo allowed' };
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, asking);
    const pending = () => server.rest.answers(200, 'GET', `/api/approvals?status=pending&attempt_id=${attempt_id}`);
    await eventually('the question', async () => (await pending()).approvals.length === 1);
    const [{ approval_id }] = (await pending()).approvals;
    const always = { decision: 'approve', always: true };
    await server.rest.answers(200, 'POST', `/api/approvals/${approval_id}/answer`, always);
    await untilEnded(await server.mcp(), attempt_id as string);
    const page = await browser.open(at('/approvals'));
    const rules = page.getByRole('list', { name: 'Rules' });
    await rules.getByText('Arguments').click();
    await expectFitting(page, 'approvals');
    await rules.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByText('Agents ask each time').waitFor();
    const answer = await server.rest.answers(200, 'GET', `/api/projects/${project_id}/approval-rules`);
    expect(answer.rules).toEqual([]);
  });

  it('tell who changed what, and lead to a project that is deleted only after a question', async () => {
    const page = await browser.open(at('/audit'));
    const entries = page.getByRole('list', { name: 'Entries' });
    await entries.getByText(/approval rule revoked/).waitFor();
    await entries.getByText('Values').first().click();
    await expectFitting(page, 'audit');
    const { project_id: doomed } = await givenProject(server, { name: 'Doomed' });
    await page.goto(`${server.url}/ui/p/${doomed}/settings`);
    await page.getByRole('button', { name: 'Delete project' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Doomed?' });
    await expectFitting(page, 'deletion');
    await question.getByRole('button', { name: 'Delete project' }).click();
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await server.rest.answers(404, 'GET', `/api/projects/${doomed}`);
  });
});
