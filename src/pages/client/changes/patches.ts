import { api, ApiError, must } from '../api.js';
import { LEAST_CONTEXT, sectionsOf } from './unified-diff.js';
import type { FileStat } from './viewed.js';

/** The server's caps on paths and bytes. */
const PATHS = 100;
const MAX_BYTES = 2_097_152;

export interface FilePatch {
  text: string;
  /** Its end is left out. */
  isCut: boolean;
  /** It has every line of the file. */
  isWhole: boolean;
}

/** More lines than a file has that can be shown. */
const WHOLE = 100_000;

/** An attempt, and since when its changes are wanted: a time of a review, or null for all of them. */
export interface Shown {
  attempt_id: string;
  since: string | null;
}

interface Wanted extends Shown {
  ignoresSpace: boolean;
}

interface Asked {
  file: FileStat;
  answer: (patch: FilePatch | Promise<FilePatch>) => void;
}

const asked = new Map<string, Asked[]>();

/** The diff of one file; files opened together are requested together. */
export function readPatch(shown: Wanted, file: FileStat, isWhole: boolean): Promise<FilePatch> {
  if (isWhole) return readAlone(shown, file, isWhole);
  const key = `${shown.attempt_id} ${shown.since} ${shown.ignoresSpace}`;
  return new Promise((answer) => {
    const together = asked.get(key) ?? [];
    if (together.length === 0) setTimeout(() => void flush(key, shown));
    asked.set(key, [...together, { file, answer }]);
  });
}

async function flush(key: string, shown: Wanted): Promise<void> {
  const all = asked.get(key) ?? [];
  asked.delete(key);
  for (let from = 0; from < all.length; from += PATHS) await readTogether(shown, all.slice(from, from + PATHS));
}

/** Files missing from the common answer are requested alone, because a large file may have used up the room. */
async function readTogether(shown: Wanted, together: readonly Asked[]): Promise<void> {
  const found = together.length > 1 ? await readSections(shown, together) : new Map<string, string>();
  for (const { file, answer } of together) {
    const text = found.get(`${file.old_path ?? file.path}\n${file.path}`);
    answer(text === undefined ? readAlone(shown, file) : { text, isCut: false, isWhole: false });
  }
}

async function readSections(shown: Wanted, together: readonly Asked[]): Promise<Map<string, string>> {
  try {
    const { patch, truncated } = await ask(
      shown,
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

async function readAlone(shown: Wanted, file: FileStat, isWhole = false): Promise<FilePatch> {
  const { patch, truncated } = await ask(shown, [file.path], isWhole ? WHOLE : LEAST_CONTEXT);
  return { text: patch ?? '', isCut: truncated, isWhole };
}

const ask = ({ attempt_id, since, ignoresSpace }: Wanted, paths: string[], context_lines = LEAST_CONTEXT) => {
  const body = { paths, force: true, max_bytes: MAX_BYTES, context_lines, ignore_whitespace: ignoresSpace };
  const params = { path: { attempt_id } };
  return must(
    api.POST('/api/attempts/{attempt_id}/patch', { params, body: { ...body, since_review: since !== null } }),
  );
};
