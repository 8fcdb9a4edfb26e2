import type { AgentIo, PermissionDecision, PermissionRequest } from '../executor.js';

/** How permission requests of an agent are answered: by the adapter, by a person, or with a no. */
export type PermissionPolicy = 'allow' | 'ask' | 'refuse';

const REFUSED = 'Not allowed in this mode. Do not try again; finish with what you have.';
const refused = (reason: string): PermissionDecision => ({ allow: false, reason });

/** The standard input of an agent, from the greeting until its turn is over. */
export class AgentInput {
  private io: AgentIo | null = null;
  private isClosed = false;
  private settle: () => void = () => undefined;
  /** The turn is over. */
  readonly ended = new Promise<void>((resolve) => {
    this.settle = resolve;
  });
  hasEnded = false;

  open(io: AgentIo): void {
    this.io = io;
  }

  /** Drops messages before the input is open and after it is closed. */
  send(message: object): void {
    if (!this.isClosed) this.io?.send(message);
  }

  /** Answers at once, unless a person is to decide. */
  permit(policy: PermissionPolicy, request: PermissionRequest, answer: (decision: PermissionDecision) => void): void {
    if (policy !== 'ask') return answer(policy === 'allow' ? { allow: true } : refused(REFUSED));
    // Nobody could be asked: a refusal is safe, and the agent must not wait for ever.
    this.io?.decide(request).then(answer, () => answer(refused('nobody could be asked')));
  }

  /** The turn is over: agents end when their input is closed.
   *  @param pauseMs milliseconds that the agent still needs it open */
  end(pauseMs = 0): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.settle();
    if (pauseMs === 0) this.close();
    else setTimeout(() => this.close(), pauseMs);
  }

  private close(): void {
    this.isClosed = true;
    this.io?.closeInput();
  }
}
