import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { Time } from '../parts/time.js';
import { mayChange } from '../rights.js';
import { to } from '../routes.js';
import { Only, type SettingProps } from './setting.js';

/** What agents of a project do without asking, because somebody said "always"; each can be revoked. */
export function ApprovalRules({ project, me }: SettingProps) {
  const { project_id } = project;
  const path = { project_id };
  const { rows, error, reload, more } = usePages(`approval-rules:${project_id}`, async (cursor?: number) => {
    const page = await must(
      api.GET('/api/projects/{project_id}/approval-rules', { params: { path, query: { cursor } } }),
    );
    return { ...page, rows: page.rules };
  });
  const revoke = useAction(async (_key: string, rule_id: string) => {
    const params = { path: { project_id, rule_id } };
    await must(api.DELETE('/api/projects/{project_id}/approval-rules/{rule_id}', { params }));
    reload();
  }, 'Revoked: agents ask again');
  return (
    <>
      <p class="quiet">
        What agents of this project do without asking: the same tool with the same arguments. Rules are made in the{' '}
        <a href={to.named('inbox')}>Inbox</a>, by “Always approve this here”.
      </p>
      <Only least="maintainer" what="revoke them" {...{ project, me }} />
      <Refusal error={error ?? revoke.error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="empty">Agents ask each time: no rule was made yet.</p>}
      <ul class="plain-list" aria-label="Rules">
        {rows?.map(({ rule_id, tool_name, summary, input, made_by, created_at }) => (
          <li class="card" key={rule_id}>
            <div class="row">
              <strong>{tool_name}</strong> <code>{summary}</code>
              <span class="quiet">
                {made_by} · <Time at={created_at} />
              </span>
              {mayChange(me, project.role, 'maintainer') && (
                <button
                  type="button"
                  aria-label={`Revoke ${summary}`}
                  disabled={revoke.isRunning}
                  onClick={() => revoke.run(rule_id)}
                >
                  Revoke
                </button>
              )}
            </div>
            <details>
              <summary>Arguments</summary>
              <pre tabIndex={0}>{JSON.stringify(input, null, 2)}</pre>
            </details>
          </li>
        ))}
      </ul>
      <More more={more} />
    </>
  );
}
