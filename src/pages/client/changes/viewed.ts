import { useState } from 'preact/hooks';
import type { components } from '../generated/api.js';

export type FileStat = components['schemas']['FileStatOutput'];

/** Marks apply to a file as it was seen; another change clears them. */
export const markOf = ({ path, content_hash, bytes }: FileStat): string => `${path}\n${content_hash ?? bytes}`;

/** Files marked as viewed, remembered by this browser. */
export function useViewed(attempt_id: string) {
  const key = `viewed:${attempt_id}`;
  const [marks, setMarks] = useState(() => new Set(JSON.parse(localStorage.getItem(key) ?? '[]') as string[]));
  const toggle = (file: FileStat) => {
    const next = new Set(marks);
    if (!next.delete(markOf(file))) next.add(markOf(file));
    localStorage.setItem(key, JSON.stringify([...next]));
    setMarks(next);
  };
  return { has: (file: FileStat) => marks.has(markOf(file)), toggle };
}
