import type { Attempt } from '../attempts/attempt.entity.js';
import { newId } from '../platform/database/uuid.js';
import type { Session } from '../sessions/session.entity.js';

export function newSession(attempt: Attempt, executor: string, variant: string | null): Session {
  const now = new Date();
  return {
    id: newId(),
    attempt_id: attempt.id,
    project_id: attempt.project_id,
    executor,
    variant,
    agent_session_id: null,
    created_at: now,
    updated_at: now,
  };
}
