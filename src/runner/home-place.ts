import { homedir } from 'node:os';
import path from 'node:path';
import { agentEnvironment } from '../config/child-environment.js';

/** A file or folder that an agent looks for: `below` is empty for an absolute one outside of the home folder. */
export interface HomePlace {
  base: string;
  below: string;
}

/** Folders that XDG variables can move. */
const MOVED: readonly [below: string, variable: string][] = [
  ['.local/share/', 'XDG_DATA_HOME'],
  ['.config/', 'XDG_CONFIG_HOME'],
];

/** @param name below the home folder or absolute; folders end in `/` */
export function homePlace(name: string): HomePlace {
  if (path.isAbsolute(name)) return { base: path.resolve(name), below: '' };
  const environment = agentEnvironment([]);
  const [moved, variable] = MOVED.find(([folder]) => name.startsWith(folder)) ?? ['', ''];
  const base = environment[variable];
  const below = name.replace(/\/$/, '');
  return base ? { base, below: below.slice(moved.length) } : { base: environment.HOME ?? homedir(), below };
}
