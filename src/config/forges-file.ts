import { readFileSync } from 'node:fs';
import { checkerOf } from './checked-file.js';
import { EnvironmentError } from './environment.js';
import { isSecureAddress } from './variable-kinds.js';

export const forgeKinds = ['github', 'gitlab', 'gitea'] as const;
export type ForgeKind = (typeof forgeKinds)[number];

interface ForgeDeclaration {
  host: string;
  kind: ForgeKind;
  api_url?: string;
  token_file?: string;
  token_env?: string;
  webhook_secret_file?: string;
}

/** One forge of FORGES_FILE. Secrets are read at each use, so that they can be replaced. */
export interface ForgeSettings {
  /** In lower case, with its port if it is not the default. */
  host: string;
  kind: ForgeKind;
  api_url: string;
  token: () => string;
  /** Null if webhooks are not accepted. */
  webhookSecret: (() => string) | null;
}

const text = (must: string) => ({ type: 'string', pattern: '\\S', must });
const schema = {
  type: 'object',
  properties: {
    forges: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          host: {
            type: 'string',
            pattern: '^[A-Za-z0-9.-]+(:\\d{1,5})?$',
            must: 'must be a host, such as github.com or git.example:3000',
          },
          kind: { enum: [...forgeKinds] },
          api_url: text('must be the URL of its API'),
          token_file: text('must be the path of a file that holds the token'),
          token_env: text('must name the environment variable that holds the token'),
          webhook_secret_file: text('must be the path of a file that holds the secret'),
        },
        required: ['host', 'kind'],
        additionalProperties: false,
        must: 'must be an object',
      },
      must: 'must be a list',
    },
  },
  required: ['forges'],
  additionalProperties: false,
  must: 'must be an object such as {"forges": []}',
};
const check = checkerOf<{ forges: ForgeDeclaration[] }>(schema);

/** The forges of FORGES_FILE; none where it is not set. @throws EnvironmentError of one line, which stops the start */
export function readForges(file: string, environment: NodeJS.ProcessEnv = process.env): ForgeSettings[] {
  return reading(file, (forges) => {
    const settings = forges.map((forge, index) => settingsOf(forge, `forges[${index}]`, environment));
    const twin = settings.find(({ host }, index) => settings.findIndex((other) => other.host === host) !== index);
    if (twin) throw new Error(`the host ${twin.host} is there twice`);
    return settings;
  });
}

/** The file and the secret files that it names, to be hidden from runs. @throws EnvironmentError */
export function forgeFiles(file: string): string[] {
  return reading(file, (forges) => [
    file,
    ...forges.flatMap(({ token_file, webhook_secret_file }) => [token_file, webhook_secret_file]),
  ]).filter((name) => name !== undefined);
}

function reading<T>(file: string, read: (forges: ForgeDeclaration[]) => T[]): T[] {
  if (file === '') return [];
  try {
    return read(check(JSON.parse(readFileSync(file, 'utf8'))).forges);
  } catch (error) {
    throw new EnvironmentError(`FORGES_FILE="${file}" cannot be used: ${(error as Error).message}`);
  }
}

function settingsOf(forge: ForgeDeclaration, place: string, environment: NodeJS.ProcessEnv): ForgeSettings {
  const { kind, token_file, token_env, webhook_secret_file } = forge;
  const host = forge.host.toLowerCase();
  const api_url = (forge.api_url ?? apiUrlOf(kind, host)).replace(/\/+$/, '');
  if (!isSecureAddress(api_url))
    throw new Error(`${place}.api_url must be an https URL without credentials or query; http is for loopback only`);
  if ((token_file === undefined) === (token_env === undefined))
    throw new Error(`${place} needs either token_file or token_env`);
  const token = token_file === undefined ? () => environment[token_env!]?.trim() ?? '' : () => secretIn(token_file);
  const webhookSecret = webhook_secret_file === undefined ? null : () => secretIn(webhook_secret_file);
  requireSecret(token, `${place}.${token_file === undefined ? 'token_env' : 'token_file'}`);
  if (webhookSecret !== null) requireSecret(webhookSecret, `${place}.webhook_secret_file`);
  return { host, kind, api_url, token, webhookSecret };
}

function apiUrlOf(kind: ForgeKind, host: string): string {
  if (host === 'github.com') return 'https://api.github.com';
  return `https://${host}/api/${{ github: 'v3', gitlab: 'v4', gitea: 'v1' }[kind]}`;
}

const secretIn = (file: string): string => readFileSync(file, 'utf8').trim();

function requireSecret(read: () => string, place: string): void {
  let secret = '';
  try {
    secret = read();
  } catch {
    throw new Error(`${place} cannot be read`);
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new Error(`${place} holds nothing that could be a secret`);
}
