import { TaskyardError } from '../client/index.js';
import { hintToType, nextCommand } from './next-command.js';
import { complain } from './output.js';

/** What a command ends with. */
export const exits = {
  done: 0,
  failed: 1,
  usage: 2,
  needsPerson: 3,
  notSignedIn: 4,
  checksRequired: 5,
  interrupted: 130,
} as const;

/** A reason to end, said in one line, and the command that helps. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exit: number = exits.failed,
    readonly next = '',
  ) {
    super(message);
  }
}

/** Says on standard error why a command failed. @returns what it ends with */
export function report(error: unknown): number {
  if (error instanceof CommandFailure) return say(error.message, '', error.next, error.exit);
  if (error instanceof TaskyardError)
    return say(error.message, hintToType(error.hint), nextCommand(error), exitOf(error));
  throw error;
}

function say(message: string, hint: string, next: string, exit: number): number {
  complain(`taskyard: ${message}`);
  if (next) complain(`  next: ${next}`);
  else if (hint) complain(`  hint: ${hint}`);
  return exit;
}

export function exitOf({ code, status, details }: TaskyardError): number {
  if (status === 401) return exits.notSignedIn;
  if (code === 'checks_required') return exits.checksRequired;
  if (code === 'approval_required' || typeof details.approval_id === 'string') return exits.needsPerson;
  if (code === 'checks_required') return exits.checksRequired;
  return code === 'invalid_argument' ? exits.usage : exits.failed;
}
