import { api, must } from '../api.js';
import { useResource } from '../resource.js';
import type { AttemptStatus, FollowUpBody } from '../types.js';

/** The follow-up to send, and its idempotency key. */
type FollowUp = FollowUpBody & { attempt_id: string; key: string };

export const sendFollowUp = ({ attempt_id, key, ...body }: FollowUp) => {
  const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
  return must(api.POST('/api/attempts/{attempt_id}/follow-up', { params, body }));
};

/** Whether its session takes words: a script has none to go on with. */
export function useHasAgent({ latest_session_executor }: AttemptStatus): boolean {
  const { data } = useResource('executors', () => must(api.GET('/api/executors')));
  return data?.executors.find(({ executor }) => executor === latest_session_executor)?.takes === 'prompt';
}

/** Names the draft of the next message. */
export const followUpForm = (attempt_id: string): string => `follow-up:${attempt_id}`;
