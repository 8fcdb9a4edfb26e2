import type { AttemptRepo } from '../attempts/attempt.entity.js';
import type { Delivery } from './delivery.entity.js';
import { type RepoPosition, stateOfRepo, toRepoDelivery } from './delivery-output.js';
import type { AskedAct } from './delivery-consent.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import type { MergeInput, UndoMergeInput } from './merge-attempt.dto.js';
import type { PlannedMerge } from './merge-plan.js';
import type { PushAttemptInput } from './push-attempt.dto.js';

/** The request for approval of each delivery, with what the person is shown; null if there is nothing to deliver. */
export function askedMerge(
  input: MergeInput,
  { workspace: { branch } }: DeliverySubject,
  plans: readonly PlannedMerge[],
): AskedAct | null {
  const landing = plans.filter(({ status }) => status === 'landed');
  if (landing.length === 0) return null;
  const targets = landing.map(({ position: { repo } }) => `${repo.target_branch} of ${repo.repo_name}`);
  return {
    act: 'merge',
    arguments: { ...input },
    heads: landing.map(({ position }) => headOf(position)),
    summary: `merge ${branch} into ${targets.join(', ')} (${landing[0]!.strategy})`,
    shown: { repos: landing.map(({ position }) => standingOf(position)) },
  };
}

export function askedUndo(
  input: UndoMergeInput,
  merged: readonly { repo: AttemptRepo; row: Delivery }[],
  heads: readonly { repo_name: string; head: string }[],
): AskedAct {
  const targets = merged.map(({ repo, row }) => `${row.target_branch} of ${repo.repo_name}`);
  return {
    act: 'undo',
    arguments: { ...input },
    heads: merged.map(({ repo: { repo_id, repo_name } }) => ({
      repo_id,
      repo_name,
      head: heads.find((one) => one.repo_name === repo_name)!.head,
    })),
    summary: `undo the merge into ${targets.join(', ')}`,
    shown: {
      action: 'undo',
      repos: merged.map(({ repo: { repo_id, repo_name }, row: { target_branch, target_before, target_after } }) => ({
        ...{ repo_id, repo_name, target_branch, target_before, target_after },
      })),
    },
  };
}

export function askedPush(input: PushAttemptInput, all: readonly RepoPosition[]): AskedAct | null {
  const positions = all.filter((position) => stateOfRepo(position) !== 'none');
  if (positions.length === 0) return null;
  const { branch } = positions[0]!.standing;
  const replaced = input.overwrite && `, in place of ${input.overwrite.remote_commit.slice(0, 10)} there`;
  return {
    act: 'push',
    arguments: { ...input },
    heads: positions.map(headOf),
    summary: `push ${branch} to its remote${replaced ?? ''}`,
    shown: { repos: positions.map(standingOf) },
  };
}

const headOf = ({ repo: { repo_id, repo_name }, standing: { head } }: RepoPosition) => ({ repo_id, repo_name, head });

function standingOf(position: RepoPosition): Record<string, unknown> {
  const { repo_id, repo_name, branch, head, target_branch, ahead, behind, preview } = toRepoDelivery(position, null);
  return { repo_id, repo_name, branch, head, target_branch, ahead, behind, preview };
}
