import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { agentEnvironment } from '../config/child-environment.js';

/** Where the base directories of XDG move what is below them. */
const MOVED: readonly [place: string, variable: string][] = [
  ['.local/share/', 'XDG_DATA_HOME'],
  ['.config/', 'XDG_CONFIG_HOME'],
];

/** Where an agent keeps its log-in and its conversations, made where they are missing: behind walls it could not.
 *  @param names below the home folder, or absolute; they end in `/` */
export function stateFolders(names: readonly string[]): string[] {
  const folders = names.map(placeOf);
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  return folders;
}

function placeOf(name: string): string {
  if (path.isAbsolute(name)) return name;
  const environment = agentEnvironment([]);
  const [place, variable] = MOVED.find(([below]) => name.startsWith(below)) ?? ['', ''];
  const base = environment[variable];
  return base ? path.join(base, name.slice(place.length)) : path.join(environment.HOME ?? homedir(), name);
}
