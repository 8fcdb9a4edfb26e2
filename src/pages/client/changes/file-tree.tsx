import { useState } from 'preact/hooks';
import { type Folder, treeOf } from './tree.js';
import type { FileStat, useViewed } from './viewed.js';

type Viewed = ReturnType<typeof useViewed>;

/** Changed files by folder, to be searched by their paths. */
export function FileTree({ files, viewed }: { files: readonly FileStat[]; viewed: Viewed }) {
  const [search, setSearch] = useState('');
  const found = treeOf(files, search);
  return (
    <nav class="tree" aria-label="Files">
      <input
        type="search"
        aria-label="Find a file"
        placeholder="Find a file"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {found.folders.length + found.files.length === 0 && <p class="quiet">No file has that in its path.</p>}
      <Below folder={found} viewed={viewed} />
    </nav>
  );
}

const Below = ({ folder, viewed }: { folder: Folder<FileStat>; viewed: Viewed }) => (
  <ul>
    {folder.folders.map((below) => (
      <li key={below.name}>
        <span class="folder">{below.name}</span>
        <Below folder={below} viewed={viewed} />
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
