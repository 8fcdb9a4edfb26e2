import { readFileSync } from 'node:fs';
import type { Variable } from './variable-kinds.js';
import { variables } from './variables.js';

/** A value that prevents the start; the message is one line and names the variable. */
export class EnvironmentError extends Error {}

/** Characters of a token that anybody on the network may try to guess. */
export const MIN_TOKEN = 32;

export type Environment = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['parse']> };
export const ENVIRONMENT = Symbol('Environment');

/** Files that settings were read from, to be hidden from runs. */
export function secretFiles(source: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(variables).flatMap((name) => fileOf(name, source) ?? []);
}

/** Reads and checks every variable. @throws EnvironmentError that names the first bad one. */
export function loadEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const entries = Object.entries(variables).map(([name, variable]) => [name, readVariable(name, variable, source)]);
  return Object.fromEntries(entries) as Environment;
}

/** EXECUTORS_FILE is a setting of its own, not where EXECUTORS is read from. */
function fileOf(name: string, source: NodeJS.ProcessEnv): string | undefined {
  const file = `${name}_FILE`;
  return file in variables ? undefined : source[file] || undefined;
}

function readVariable(name: string, variable: Variable<unknown>, source: NodeJS.ProcessEnv): unknown {
  const set = isServiceLink(name, source[name]) ? undefined : source[name];
  const given = set || secretFile(name, fileOf(name, source));
  try {
    return variable.parse(given || variable.default);
  } catch (error) {
    const shown = given?.replace(/\/\/[^/]*:[^/]*@/, '//***@'); // a password in a URL
    throw new EnvironmentError(`${name}="${shown}" is not valid: ${(error as Error).message}. ${variable.meaning}`);
  }
}

/** Kubernetes sets MCP_PORT=tcp://10.0.0.1:80 where a Service of the namespace is called mcp: nobody meant that. */
const isServiceLink = (name: string, value = ''): boolean =>
  name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\/\S+:\d+$/.test(value);

function secretFile(name: string, file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new EnvironmentError(`${name}_FILE="${file}" cannot be read.`, { cause: error });
  }
}
