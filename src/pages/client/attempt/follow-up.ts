import { api, must } from '../api.js';
import type { FollowUpBody } from '../types.js';

/** The follow-up to send, and its idempotency key. */
type FollowUp = FollowUpBody & { attempt_id: string; key: string };

export const sendFollowUp = ({ attempt_id, key, ...body }: FollowUp) => {
  const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
  return must(api.POST('/api/attempts/{attempt_id}/follow-up', { params, body }));
};

/** Names the draft of the next message. */
export const followUpForm = (attempt_id: string): string => `follow-up:${attempt_id}`;
