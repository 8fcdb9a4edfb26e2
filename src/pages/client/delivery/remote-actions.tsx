import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Delivery } from '../types.js';
import { ChecksRequired, overridden, type Override } from './checks-required.js';
import { isOpen, mustAll } from './delivery.js';
import { PullRequestForm } from './pull-request-form.js';

interface ActionsProps {
  delivery: Delivery;
  mayOverride: boolean;
  reload: () => void;
}

/** What can be done where there is a remote, or what is missing. */
export function RemoteActions({ delivery, mayOverride, reload }: ActionsProps) {
  const lacking = delivery.repos.filter(({ state, has_remote }) => state !== 'none' && !has_remote);
  if (delivery.state === 'none') return null;
  if (lacking.length > 0) return <NowhereToPush names={lacking.map(({ repo_name }) => repo_name)} />;
  return <Remote {...{ delivery, mayOverride, reload }} />;
}

/** Push, and with a configured forge open or attach a pull request. */
function Remote({ delivery: { attempt_id, repos }, mayOverride, reload }: ActionsProps) {
  const forges = useResource('forges', () => must(api.GET('/api/forges')));
  const [opened, setOpened] = useState<'open' | 'attach' | null>(null);
  const push = usePush(attempt_id, reload);
  const hasForge = (forges.data?.forges.length ?? 0) > 0;
  const isWithout = repos.some(({ pull_request }) => !isOpen(pull_request?.state));
  const remote_commit = push.error?.details.remote_commit;
  const close = () => setOpened(null);
  return (
    <>
      <div class="bar start">
        <button type="button" disabled={push.isRunning} onClick={() => push.run({})}>
          Push
        </button>
        {hasForge && isWithout && (
          <>
            <button type="button" onClick={() => setOpened('open')}>
              Open pull request…
            </button>
            <button type="button" onClick={() => setOpened('attach')}>
              Attach pull request…
            </button>
          </>
        )}
      </div>
      <Refusal error={push.error} />
      {typeof remote_commit === 'string' && (
        <button type="button" class="danger" disabled={push.isRunning} onClick={() => push.run({ remote_commit })}>
          Replace what the remote has
        </button>
      )}
      {push.error?.code === 'attempt_failed' && (
        <button type="button" class="danger" disabled={push.isRunning} onClick={() => push.run({ allow_failed: true })}>
          Push it all the same
        </button>
      )}
      <ChecksRequired
        {...{ attempt_id, mayOverride }}
        error={push.error}
        isBusy={push.isRunning}
        deliver={(override) => push.run({ override })}
      />
      {opened === 'open' && (
        <PullRequestForm title="Open a pull request" {...{ attempt_id, mayOverride, close }} done={reload} />
      )}
      {opened === 'attach' && <AttachForm attempt_id={attempt_id} close={close} done={reload} />}
    </>
  );
}

const NowhereToPush = ({ names }: { names: string[] }) => (
  <p class="quiet">
    There is nowhere to push to: {names.join(', ')} {names.length === 1 ? 'has' : 'have'} no remote named origin. Once
    there is one, Push is offered here.
  </p>
);

interface PushChoice {
  /** Replaces this commit of the remote. */
  remote_commit?: string;
  allow_failed?: true;
  override?: Override;
}

function usePush(attempt_id: string, reload: () => void) {
  return useAction(async (key, { remote_commit, ...choice }: PushChoice) => {
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
    const body = { overwrite: remote_commit === undefined ? undefined : { remote_commit }, ...choice };
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/push', { params, body })));
    overridden(attempt_id);
    reload();
  }, 'Pushed');
}

function AttachForm({ attempt_id, close, done }: { attempt_id: string; close: () => void; done: () => void }) {
  const [url, setUrl] = useState('');
  const attach = useAction(async (key) => {
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
    const body = { url: url.trim() };
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/pull-request/attach', { params, body })));
    done();
    close();
  }, 'Pull request attached');
  const submit = (event: Event) => {
    event.preventDefault();
    if (url.trim()) attach.run();
  };
  return (
    <Dialog title="Attach a pull request" close={close}>
      <form onSubmit={submit}>
        <label>
          Address of the pull request
          <input type="text" value={url} spellcheck={false} onInput={(event) => setUrl(event.currentTarget.value)} />
        </label>
        <Refusal error={attach.error} />
        <div class="bar">
          <button class="primary" disabled={!url.trim() || attach.isRunning}>
            Attach
          </button>
        </div>
      </form>
    </Dialog>
  );
}
