import type { Folder } from './tree.js';
import type { FileStat, useViewed } from './viewed.js';

interface TreeProps {
  folder: Folder<FileStat>;
  viewed: ReturnType<typeof useViewed>;
}

/** Changed files by folder, with their line counts. */
export function FileTree({ folder, viewed }: TreeProps) {
  return (
    <ul>
      {folder.folders.map((below) => (
        <li key={below.name}>
          <span class="folder">{below.name}</span>
          <FileTree folder={below} viewed={viewed} />
        </li>
      ))}
      {folder.files.map(({ name, file, index }) => (
        <li key={name}>
          <a href={`#file-${index}`} class={viewed.has(file) ? 'seen' : ''} title={file.path}>
            <span class="name">{name}</span> <span class="added">+{file.added}</span>{' '}
            <span class="deleted">−{file.deleted}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
