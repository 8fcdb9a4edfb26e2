import { text } from 'node:stream/consumers';
import { createClient } from '../client/index.js';
import { commandLineSettings } from '../config/command-line.js';
import { type Credential, Credentials } from './credentials.js';
import { CommandFailure, exits } from './exits.js';
import { print } from './output.js';
import { type CommonOptions, serverOf } from './session.js';

export interface LoginOptions extends CommonOptions {
  withToken?: boolean;
  /** False: on another device. */
  browser?: boolean;
}

/** Keeps a token of the server, once the server has taken it. */
export async function login(options: LoginOptions): Promise<void> {
  const server = serverOf(options);
  const credential = options.withToken ? await givenToken() : await signedIn(server, options);
  const { name } = await createClient({ baseUrl: server, token: credential.token }).GET('/api/me');
  new Credentials(commandLineSettings().folder).keep(server, credential);
  print(`signed in at ${server} as ${name}`);
}

/** Tokens are never arguments: those of a process can be read by everybody on the machine. */
async function givenToken(): Promise<Credential> {
  const token = (await text(process.stdin)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return { token };
  throw new CommandFailure('standard input holds no token', exits.usage, 'taskyard login --with-token < FILE');
}

async function signedIn(server: string, { browser = true }: LoginOptions): Promise<Credential> {
  const { signInHere, signInElsewhere } = await import('./sign-in.js');
  const mayShow = browser && commandLineSettings().hasScreen;
  return mayShow ? signInHere(server) : signInElsewhere(server);
}

export function logout(options: CommonOptions): Promise<void> {
  const server = serverOf(options);
  const wasThere = new Credentials(commandLineSettings().folder).forget(server);
  print(wasThere ? `signed out of ${server}` : `nobody was signed in at ${server}`);
  return Promise.resolve();
}
