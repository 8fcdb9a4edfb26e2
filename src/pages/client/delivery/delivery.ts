import { api, ApiError, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { type Resource, useLookingAgain, useResource } from '../resource.js';
import type { Delivery } from '../types.js';

/** How often an open pull request is read again, because the page is not told of changes on the forge. */
const LOOK_AGAIN_MS = 10_000;

export function useDelivery(attempt_id: string): Resource<Delivery> {
  const params = { path: { attempt_id } };
  const delivery = useResource<Delivery>(
    `delivery:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/delivery', { params })),
    concernsAttempt(attempt_id),
  );
  const isWatched = delivery.data?.repos.some(({ pull_request }) => isOpen(pull_request?.state)) ?? false;
  useLookingAgain(isWatched, LOOK_AGAIN_MS, delivery);
  return delivery;
}

export const isOpen = (state?: string): boolean => state === 'open' || state === 'queued';

interface Delivered {
  repos: { repo_name: string; error?: { code: string; message: string; hint: string; details: object } | null }[];
}

/** Succeeds if every repository did. @throws ApiError the first that is not */
export async function mustAll(asked: Promise<Delivered>): Promise<void> {
  const { repos } = await asked;
  const failed = repos.find(({ error }) => error);
  if (!failed?.error) return;
  const { code, message, hint, details } = failed.error;
  throw new ApiError(code, `${failed.repo_name}: ${message}`, hint, 200, details as Record<string, unknown>);
}
