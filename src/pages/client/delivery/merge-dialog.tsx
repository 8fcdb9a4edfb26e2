import { Dialog } from '../parts/dialog.js';
import type { Delivery, RepoDelivery } from '../types.js';

const key = ({ repo_id }: RepoDelivery) => `updates-checkout:${repo_id}`;

export const isCheckedOut = ({ checkout }: RepoDelivery): boolean => checkout.state !== 'none';

/** Repositories whose target is checked out, and of which nobody has said yet that a merge may update that. */
export const unasked = ({ repos }: Delivery): RepoDelivery[] =>
  repos.filter((repo) => isCheckedOut(repo) && localStorage.getItem(key(repo)) === null);

interface MergeDialogProps {
  repos: RepoDelivery[];
  merge: () => void;
  close: () => void;
}

/** Asked once for each repository whose target branch is checked out somewhere. */
export function MergeDialog({ repos, merge, close }: MergeDialogProps) {
  const confirm = () => {
    for (const repo of repos) localStorage.setItem(key(repo), 'yes');
    close();
    merge();
  };
  return (
    <Dialog title="The target is checked out" close={close}>
      {repos.map(({ repo_id, target_branch, checkout }) => (
        <p key={repo_id}>
          <code>{target_branch}</code> is checked out in <code>{checkout.path}</code>.{' '}
          {checkout.state === 'dirty'
            ? 'It holds changes that are not committed: commit them or put them aside first.'
            : 'The merge moves the branch, so the files there are brought to it, too.'}
        </p>
      ))}
      <p class="quiet">This is asked once for each repository.</p>
      <div class="bar">
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" class="primary" autofocus onClick={confirm}>
          Merge and update the checkout
        </button>
      </div>
    </Dialog>
  );
}
