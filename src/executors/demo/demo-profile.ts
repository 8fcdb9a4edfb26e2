import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ifThere } from '../../git/if-there.js';
import type { AcpProfile } from '../acp/acp-profiles.js';

const program = fileURLToPath(new URL('./demo-agent.mjs', import.meta.url));

const DAY_MS = 86_400_000;

/** Where the agent keeps its sessions. */
export const demoSessionsOf = (dataDir: string): string => path.join(path.resolve(dataDir), 'demo-sessions');

/** Deletes sessions without activity for so many days. */
export async function pruneDemoSessions(dataDir: string, days: number): Promise<void> {
  const folder = demoSessionsOf(dataDir);
  const names = (await ifThere(readdir(folder))) ?? [];
  for (const file of names.map((name) => path.join(folder, name))) {
    const { mtimeMs = Date.now() } = (await ifThere(stat(file))) ?? {};
    if (mtimeMs < Date.now() - days * DAY_MS) await rm(file, { force: true });
  }
}

/** The shipped agent, without a model: launched and talked to like every other agent.
 *  @param stateFolder where it keeps its sessions @param refusal why its `run` and `ask` lines run nothing, or null */
export function demoProfile(stateFolder: string, refusal: string | null): AcpProfile {
  return {
    executor: 'DEMO',
    program: process.execPath,
    args: [program],
    env: {
      DEMO_AGENT_STATE: path.resolve(stateFolder),
      ...(refusal === null ? {} : { DEMO_AGENT_REFUSAL: refusal }),
    },
    state: [`${path.resolve(stateFolder)}/`],
    session_file: (id) => `${id}.json`,
    variants: { DEFAULT: {}, APPROVALS: { permissions: 'ask' } },
    supports_mcp: false,
    resume: ['resume', 'load'],
    auth_methods: [],
    install: 'it is shipped with this server',
    version: '1.0.0',
  };
}
