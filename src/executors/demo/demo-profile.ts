import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AcpProfile } from '../acp/acp-profiles.js';

const program = fileURLToPath(new URL('./demo-agent.mjs', import.meta.url));

/** Where the agent keeps its sessions. */
export const demoSessionsOf = (dataDir: string): string => path.join(path.resolve(dataDir), 'demo-sessions');

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
    state: { own: [`${path.resolve(stateFolder)}/`] },
    session_file: (id) => `${id}.json`,
    variants: { DEFAULT: {}, APPROVALS: { permissions: 'ask' } },
    supports_mcp: false,
    resume: ['resume', 'load'],
    auth_methods: [],
    model_hosts: [],
    install: 'it is shipped with this server',
    version: '1.0.0',
  };
}
