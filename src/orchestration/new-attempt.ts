import type { NewAttempt } from '../attempts/attempt.entity.js';
import { newId } from '../platform/database/uuid.js';
import type { AttemptPlace } from './attempt-plan.js';

export function newAttempt(task_id: string, project_id: string, title: string, place: AttemptPlace): NewAttempt {
  const now = new Date();
  const id = newId();
  return {
    id,
    task_id,
    project_id,
    branch: branchName(id, title),
    workspace_state: 'preparing',
    runner_id: null,
    ...place,
    created_at: now,
    updated_at: now,
  };
}

/** `ty/<8 hex>-<slug>`; the last hex digits of a UUIDv7 are random, the first are its time. */
export function branchName(attempt_id: string, title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 32)
    .replace(/-+$/, '');
  const id = attempt_id.slice(-8);
  return slug ? `ty/${id}-${slug}` : `ty/${id}`;
}
