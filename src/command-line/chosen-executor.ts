import type { Schemas } from '../client/index.js';
import { canonicalExecutor, canonicalVariant } from '../executors/executor-names.js';
import { CommandFailure, exits } from './exits.js';
import type { Session } from './session.js';

type Executor = Schemas['ExecutorOutput'];

/** More than a server has. */
const ALL = 500;

/** Who does it, asked before anything is made for it: the one that is named, else the agent of the server, where it has
 *  one. @throws CommandFailure that names those to choose from */
export async function chosenExecutor(
  { client }: Session,
  { executor, variant }: { executor?: string; variant?: string },
): Promise<string> {
  const { executors } = await client.GET('/api/executors', { params: { query: { limit: ALL } } });
  const chosen = executor === undefined ? onlyAgent(executors) : executorNamed(executors, executor);
  requireVariant(chosen, variant);
  return chosen.executor;
}

function executorNamed(executors: readonly Executor[], said: string): Executor {
  const found = executors.find(({ executor }) => executor === canonicalExecutor(said));
  if (found) return found;
  throw failure(`there is no executor ${said}`, exits.failed, executors);
}

function onlyAgent(executors: readonly Executor[]): Executor {
  const agents = executors.filter(isAgentHere);
  if (agents.length === 1) return agents[0]!;
  throw failure('say who is to do it', exits.usage, agents.length > 0 ? agents : executors);
}

function requireVariant({ executor, variants }: Executor, said: string | undefined): void {
  const variant = canonicalVariant(said);
  if (variant === undefined || variants.some((known) => known === variant)) return;
  const lacks = `executor ${executor} has no variant ${said}`;
  const next = `taskyard run "…" --executor ${executor}`;
  if (variants.length === 0) throw new CommandFailure(lacks, exits.failed, next);
  throw new CommandFailure(`${lacks}: one of ${variants.join(', ')}`, exits.failed, `${next} --variant ${variants[0]}`);
}

const isAgentHere = ({ is_available, takes, executor }: Executor): boolean =>
  is_available && takes === 'prompt' && executor !== 'DEMO';

/** Names those that can start. */
function failure(what: string, exit: number, executors: readonly Executor[]): CommandFailure {
  const known = executors.filter(({ is_available }) => is_available).map(({ executor }) => executor);
  const next = `taskyard run "…" --executor ${known[0] ?? 'NAME'}`;
  return new CommandFailure(`${what}: one of ${known.join(', ')}`, exit, next);
}
