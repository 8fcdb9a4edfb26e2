import { api, ApiError, must } from '../api.js';
import { sectionsOf } from './unified-diff.js';
import type { FileStat } from './viewed.js';

/** The server's caps on paths and bytes. */
const PATHS = 100;
const MAX_BYTES = 2_097_152;

export interface FilePatch {
  text: string;
  /** Why the patch is missing or incomplete. */
  hint: string | null;
}

interface Asked {
  file: FileStat;
  answer: (patch: FilePatch | Promise<FilePatch>) => void;
}

const asked = new Map<string, Asked[]>();

/** The diff of one file; files opened together are requested together. */
export function readPatch(attempt_id: string, file: FileStat): Promise<FilePatch> {
  return new Promise((answer) => {
    const together = asked.get(attempt_id) ?? [];
    if (together.length === 0) setTimeout(() => void flush(attempt_id));
    asked.set(attempt_id, [...together, { file, answer }]);
  });
}

async function flush(attempt_id: string): Promise<void> {
  const all = asked.get(attempt_id) ?? [];
  asked.delete(attempt_id);
  for (let from = 0; from < all.length; from += PATHS) await readTogether(attempt_id, all.slice(from, from + PATHS));
}

/** Files missing from the common answer are requested alone, because a large file may have used up the room. */
async function readTogether(attempt_id: string, together: readonly Asked[]): Promise<void> {
  const found = together.length > 1 ? await readSections(attempt_id, together) : new Map<string, string>();
  for (const { file, answer } of together) {
    const text = found.get(`${file.old_path ?? file.path}\n${file.path}`);
    answer(text === undefined ? readAlone(attempt_id, file) : { text, hint: null });
  }
}

async function readSections(attempt_id: string, together: readonly Asked[]): Promise<Map<string, string>> {
  try {
    const { patch, truncated } = await ask(
      attempt_id,
      together.map(({ file }) => file.path),
    );
    const sections = sectionsOf(patch ?? '');
    if (truncated) sections.delete([...sections.keys()].at(-1) ?? '');
    return sections;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return new Map(); // each file then reports its own failure
  }
}

async function readAlone(attempt_id: string, file: FileStat): Promise<FilePatch> {
  const { patch, hint } = await ask(attempt_id, [file.path]);
  return { text: patch ?? '', hint };
}

const ask = (attempt_id: string, paths: string[]) => {
  const body = { paths, force: true, max_bytes: MAX_BYTES };
  return must(api.POST('/api/attempts/{attempt_id}/patch', { params: { path: { attempt_id } }, body }));
};
