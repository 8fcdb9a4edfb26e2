import type { ApiError } from '../api.js';

/** A refusal in the words of the server, and what to do next. */
export function Refusal({ error }: { error: ApiError | null }) {
  if (error === null) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {error.hint && <p class="quiet">{error.hint}</p>}
    </div>
  );
}

export const Loading = () => <p class="quiet loading">Loading…</p>;
