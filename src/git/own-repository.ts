/** Repositories of this server, written without a process, and what they borrow from those of users. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from './if-there.js';

export interface NewRepository {
  /** Lines of the configuration behind those of every repository. */
  config: string;
  isBare: boolean;
  isSha256: boolean;
  /** Target of HEAD: the full name of a branch. */
  head: string;
  /** Ids of refs by full name. */
  refs: Readonly<Record<string, string>>;
  /** Object folders that it borrows from. */
  borrows: readonly string[];
  /** `info/attributes`, which win over all others. */
  attributes?: string;
  /** Commits whose parents are not there; empty where all are. */
  shallow: string;
  exclude: string;
}

/** @param dir must not exist yet */
export async function writeRepository(dir: string, repository: NewRepository): Promise<void> {
  const { config, isBare, isSha256, head, refs, borrows, attributes, shallow, exclude } = repository;
  const folders = [
    'objects/info',
    'objects/pack',
    'refs/heads',
    'info',
    ...Object.keys(refs).map((name) => path.dirname(name)),
  ];
  await Promise.all([...new Set(folders)].map((folder) => mkdir(path.join(dir, folder), { recursive: true })));
  const files: [name: string, text: string][] = [
    ['config', `${coreOf(isSha256, isBare)}${config}`],
    ['objects/info/alternates', borrows.map((folder) => `${folder}\n`).join('')],
    ['info/exclude', exclude],
    ...Object.entries(refs).map(([name, id]): [string, string] => [name, `${id}\n`]),
    ...(attributes === undefined ? [] : [['info/attributes', attributes] as [string, string]]),
    ...(shallow === '' ? [] : [['shallow', shallow] as [string, string]]),
  ];
  await Promise.all(files.map(([name, text]) => writeFile(path.join(dir, name), text)));
  await writeFile(path.join(dir, 'HEAD'), `ref: ${head}\n`); // last: without it there is no repository
}

const coreOf = (isSha256: boolean, isBare: boolean): string =>
  `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n\tbare = ${isBare}\n\tlogallrefupdates = ${!isBare}\n` +
  (isSha256 ? '[extensions]\n\tobjectformat = sha256\n' : '');

/** Repositories can borrow in chains; git follows five links. */
const MAX_LENDERS = 5;

/** The object folder of a repository and those that it borrows from itself. */
export async function lendersOf(objects: string, depth = 0): Promise<string[]> {
  const text = (await ifThere(readFile(path.join(objects, 'info/alternates'), 'utf8'))) ?? '';
  const lenders = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => path.resolve(objects, line));
  const others = depth < MAX_LENDERS ? lenders.map((lender) => lendersOf(lender, depth + 1)) : [];
  return [objects, ...(await Promise.all(others)).flat()];
}

/** `[section "sub"] key = value` for each setting `section.sub.key`; values are quoted. */
export function configText(settings: readonly (readonly [key: string, value: string])[]): string {
  return settings
    .map(([key, value]) => {
      const [section = '', ...rest] = key.split('.');
      const name = rest.pop()!;
      const sub = rest.length > 0 ? ` ${quoted(rest.join('.'))}` : '';
      return `[${section}${sub}]\n\t${name} = ${quoted(value)}\n`;
    })
    .join('');
}

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
