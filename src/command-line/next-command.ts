import type { NextRequest, TaskyardError } from '../client/index.js';

const ID = '([^/?]+)';

/** The command that does what a request does; $1 is the id in its path. */
const commands: readonly [request: RegExp, command: string][] = [
  [new RegExp(`^GET /api/attempts/${ID}$`), 'taskyard status $1'],
  [new RegExp(`^GET /api/attempts/${ID}/(?:delivery|pull-request)`), 'taskyard status $1'],
  [new RegExp(`^GET /api/attempts/${ID}/logs`), 'taskyard log $1'],
  [new RegExp(`^(?:GET|POST) /api/attempts/${ID}/(?:changes|patch)`), 'taskyard diff $1'],
  [new RegExp(`^POST /api/attempts/${ID}/follow-up`), 'taskyard follow-up $1 "…"'],
  [new RegExp(`^GET /api/attempts/${ID}/(?:checks|continuations)`), 'taskyard checks $1'],
  [new RegExp(`^POST /api/attempts/${ID}/checks$`), 'taskyard checks $1 --run --watch'],
  [new RegExp(`^POST /api/attempts/${ID}/(merge|push|stop)$`), 'taskyard $2 $1'],
  [new RegExp(`^POST /api/attempts/${ID}/pull-request$`), 'taskyard pr $1'],
  [new RegExp(`^POST /api/approvals/${ID}/answer`), 'taskyard approve $1'],
  [/^GET \/api\/(?:projects|tasks)/, 'taskyard list'],
  [/^POST \/api\/tasks\/[^/]+\/attempts/, 'taskyard run "…"'],
];

/** What to type after a refusal; empty where the command line has no answer to it. */
export function nextCommand({ code, status, details, next }: TaskyardError): string {
  if (status === 401) return 'taskyard login';
  if (code === 'unreachable') return 'taskyard serve';
  if (typeof details.approval_id === 'string') return `taskyard approve ${details.approval_id}`;
  if (next === null) return '';
  return code === 'target_checked_out' ? `${mergeOf(next)} --update-checkout` : commandFor(next);
}

/** A hint with the commands for the requests in it; the attempt is that of the folder. */
export const hintToType = (hint: string): string =>
  hint.replace(/\b([A-Z]+) (\/api\/[\w/{}:-]+)/g, (request, method: string, path: string) => {
    const command = commandFor({ method, path });
    return command === '' ? request : command.replace(/ \{\w+\}/, '');
  });

/** A person who is shown the flag decides; programs are led to look at the checkout first. */
const mergeOf = ({ path }: NextRequest): string => commandFor({ method: 'POST', path: path.replace(/\w+$/, 'merge') });

function commandFor({ method, path }: NextRequest): string {
  for (const [request, command] of commands) {
    const [, first = '', second = ''] = request.exec(`${method} ${path}`) ?? [];
    if (request.test(`${method} ${path}`)) return command.replace('$2', second).replace('$1', first);
  }
  return '';
}
