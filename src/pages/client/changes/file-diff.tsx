import { useEffect, useState } from 'preact/hooks';
import { type Comments, isOn } from './comments.js';
import type { DiffOptions } from './diff-options.js';
import { Images, isImage } from './images.js';
import { Patch } from './patch.js';
import type { Shown } from './patches.js';
import type { FileStat, useViewed } from './viewed.js';

/** Longer files start folded. */
const FOLDED_FROM_LINES = 500;

interface FileDiffProps {
  id: string;
  shown: Shown;
  options: DiffOptions;
  file: FileStat;
  comments: Comments;
  viewed: ReturnType<typeof useViewed>;
}

export function FileDiff({ id, shown, options, file, comments, viewed }: FileDiffProps) {
  const own = comments.all.filter(isOn(file));
  const isViewed = viewed.has(file);
  const [isOpen, setOpen] = useState(!isViewed && file.added + file.deleted < FOLDED_FROM_LINES);
  useEffect(() => {
    if (isViewed) setOpen(false);
  }, [isViewed]);
  return (
    <div id={id} class="file">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="path">{file.path}</span>
          {file.old_path && <span class="quiet">from {file.old_path}</span>}
          <span class="added">+{file.added}</span>
          <span class="deleted">−{file.deleted}</span>
          {own.length > 0 && <span class="quiet">{own.length === 1 ? '1 comment' : `${own.length} comments`}</span>}
        </summary>
        {isOpen &&
          (isImage(file) ? <Images {...{ shown, file }} /> : <Patch {...{ shown, options, file, comments, own }} />)}
      </details>
      <label class="viewed">
        <input type="checkbox" checked={isViewed} onChange={() => viewed.toggle(file)} /> Viewed
      </label>
    </div>
  );
}
