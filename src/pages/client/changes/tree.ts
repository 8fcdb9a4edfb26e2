export interface Folder<F> {
  /** A chain of single folders is one entry: `src/pages/client`. */
  name: string;
  folders: Folder<F>[];
  files: { name: string; file: F; index: number }[];
}

/** Files as folders hold them; `index` is the place of a file in the list.
 *  @param search part of the paths that are wanted, in any case */
export function treeOf<F extends { path: string }>(files: readonly F[], search = ''): Folder<F> {
  const root: Folder<F> = { name: '', folders: [], files: [] };
  const wanted = search.trim().toLowerCase();
  for (const [index, file] of files.entries()) {
    if (!file.path.toLowerCase().includes(wanted)) continue;
    const names = file.path.split('/');
    const name = names.pop()!;
    folderAt(root, names).files.push({ name, file, index });
  }
  return joined(root);
}

function folderAt<F>(root: Folder<F>, names: readonly string[]): Folder<F> {
  let at = root;
  for (const name of names) {
    const found = at.folders.find((folder) => folder.name === name);
    const next = found ?? { name, folders: [], files: [] };
    if (!found) at.folders.push(next);
    at = next;
  }
  return at;
}

function joined<F>({ name, folders, files }: Folder<F>): Folder<F> {
  const below = folders.map(joined);
  const [only] = below;
  if (name === '' || files.length > 0 || below.length !== 1 || !only) return { name, folders: below, files };
  return { ...only, name: `${name}/${only.name}` };
}
