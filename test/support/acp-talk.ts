import { AcpAdapter } from '../../src/executors/acp/acp.adapter.js';
import type { AcpProfile } from '../../src/executors/acp/acp-profiles.js';
import type { PermissionDecision, PermissionRequest, Turn } from '../../src/executors/executor.js';
import { ProgramFinder } from '../../src/executors/find-program.js';
import { overheard, turnOf } from './agent-turn.js';

export const profile: AcpProfile = {
  executor: 'X',
  program: 'x',
  args: [],
  env: {},
  state: { own: [] },
  supports_mcp: true,
  resume: ['resume', 'load'],
  auth_methods: ['key'],
  model_hosts: [],
  install: '',
  variants: { DEFAULT: {}, APPROVALS: { permissions: 'ask' }, PLAN: { mode: 'plan', permissions: 'refuse' } },
};
export const both = { loadSession: true, sessionCapabilities: { resume: {} }, mcpCapabilities: { http: true } };
export const greeting = (agentCapabilities: object, authMethods: object[] = []) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: 1, agentCapabilities, authMethods },
});
const options = [
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'once', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
];
export const permission = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    options,
    toolCall: { toolCallId: 't', title: '/w/a.txt', kind: 'edit', rawInput: { path: '/w/a.txt' } },
  },
});
export const update = (body: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: body },
});

type Decide = (request: PermissionRequest) => Promise<PermissionDecision>;

/** A turn with an agent that has been greeted. */
export function talk(turn: Partial<Turn> = {}, decide?: Decide, agent = profile) {
  const adapter = new AcpAdapter(agent, new ProgramFinder({}, () => Promise.resolve(null)));
  const { driver } = adapter.drive(turnOf({ prompt: 'do it', cwd: '/w', ...turn }));
  const heard = overheard(driver, decide);
  return { heard, driver, say: heard.say, methods: () => heard.sent.map(({ method }) => method) };
}

/** A turn whose session is open: the prompt has been sent, unless a mode is to be set. */
export function opened(turn: Partial<Turn> = {}, decide?: Decide) {
  const it = talk(turn, decide);
  it.say(greeting(both));
  it.say({ id: 3, result: { sessionId: 's' } });
  return it;
}
