import { type TaskflowStatus, taskflowTransitions } from './taskflow-status.js';

/** What leads into each status. */
const leads: Partial<Record<TaskflowStatus, string>> = {
  in_progress: '{next:start_task}',
  review: '{next:request_review}',
  completed: '{next:complete_task}',
};

/** Progress of what is done is a matter of reopening it. */
export const hintForProgress = (status: TaskflowStatus): string =>
  status === 'completed'
    ? 'The task is completed; {next:list_tasks} shows it. {op:request_review}, then {op:start_task}, reopens it.'
    : `The task is {status}: call ${leads.in_progress} first, then repeat the call.`;

/** How a task gets where no single move leads; undefined where no way does, or it is there already. */
export function hintTowards(from: TaskflowStatus, to: TaskflowStatus): string | undefined {
  const first = firstMove(from, to);
  const lead = first && leads[first];
  return lead && `From ${from} only these are allowed: [{allowed}]. Call ${lead} first, then repeat the call.`;
}

/** The first of the fewest moves that have a tool. */
function firstMove(from: TaskflowStatus, to: TaskflowStatus): TaskflowStatus | undefined {
  const ways: TaskflowStatus[][] = [[from]];
  for (const way of ways) {
    const status = way.at(-1)!;
    if (status === to) return way[1];
    const moves = taskflowTransitions[status].filter((move) => leads[move] && !way.includes(move));
    ways.push(...moves.map((move) => [...way, move]));
  }
  return undefined;
}
