import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { pathOn, type Side } from './comments.js';
import type { Shown } from './patches.js';
import { type FileStat, markOf } from './viewed.js';

/** What the server hands out of one file. */
const MAX_BYTES = 524_288;
/** Those that are nothing but a picture; a drawing in SVG is a document, and stays text. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
};
const LABELS = { old: 'Before', new: 'After' };

const typeOf = (path: string) => TYPES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];

export const isImage = ({ path, is_binary }: FileStat): boolean => is_binary && typeOf(path) !== undefined;

const NEW = ['added', 'untracked'];

/** A picture as it was beside what it is now. */
export const Images = ({ shown, file }: { shown: Shown; file: FileStat }) => (
  <div class="images">
    {!NEW.includes(file.status) && <Image side="old" {...{ shown, file }} />}
    {file.status !== 'deleted' && <Image side="new" {...{ shown, file }} />}
  </div>
);

function Image({ shown: { attempt_id, since }, file, side }: { shown: Shown; file: FileStat; side: Side }) {
  const path = pathOn(file, side);
  const query = { path, side, max_bytes: MAX_BYTES, ...(since !== null && { since_review: true }) };
  const { data, error } = useResource(`image:${attempt_id}:${since}:${side}:${markOf(file)}`, () =>
    must(api.GET('/api/attempts/{attempt_id}/file', { params: { path: { attempt_id }, query } })),
  );
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  const { encoding, content, truncated, total_bytes } = data;
  const isWhole = encoding === 'base64' && !truncated;
  return (
    <figure>
      <figcaption>
        {LABELS[side]} <span class="quiet">{total_bytes?.toLocaleString('en')} bytes</span>
      </figcaption>
      {isWhole ? (
        <img src={`data:${typeOf(path)};base64,${content}`} alt={`${file.path}, ${LABELS[side].toLowerCase()}`} />
      ) : (
        <p class="quiet">This picture is too large to be shown.</p>
      )}
    </figure>
  );
}
