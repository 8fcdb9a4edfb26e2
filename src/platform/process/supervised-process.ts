import { besideServer } from './launch.js';
import { LineReader } from './line-reader.js';
import { drainAfterExit, drainAfterKill } from './output-drain.js';
import { OutputPump } from './output-pump.js';
import type { LaunchedChild, ProcessEnd, ProcessSpec, StopOptions } from './process-types.js';
import { settledWithin } from './settled-within.js';

/** Milliseconds the program is given at each step of a stop; a step ends at once when it exits. SIGKILL comes last. */
const CANCEL_MS = 2_000;
const graceMs = { SIGINT: 2_000, SIGTERM: 2_000 };
/** Shorter waits for a program that confirmed the cancel and only has to exit. */
const goodbyeMs = { SIGINT: 150, SIGTERM: 50 };

/** One program in a process group of its own. However it ends, nothing of it survives. */
export class SupervisedProcess {
  readonly marker: string;
  /** Also the number of its process group; null where it could not be started, or runs elsewhere. */
  readonly pid: number | null;
  /** The program itself is gone; its output may not be read to the end and its descendants may live. */
  readonly exited: Promise<ProcessEnd>;
  /** Output delivered, group killed, survivors swept. Rejects only with what its owner threw, which kills the program
   *  too. */
  readonly ended: Promise<ProcessEnd>;

  private readonly child: LaunchedChild | null;
  private gentleStop: Promise<void> | null = null;
  private isUnwanted = false;

  /** Never throws: a program that cannot be started ends with a `spawn_error`. */
  static start(spec: ProcessSpec): SupervisedProcess {
    return new SupervisedProcess(spec);
  }

  private constructor(spec: ProcessSpec) {
    const { child, exited } = (spec.launcher ?? besideServer).launch(spec);
    this.marker = spec.marker;
    this.child = child;
    this.pid = child?.pid ?? null;
    this.exited = exited;
    this.ended = child === null ? exited : this.supervise(child, spec);
    this.ended.catch(() => undefined); // An owner that does not wait must not bring the server down.
    child?.stdin?.on('error', () => undefined); // EPIPE: it may close its input whenever it likes.
  }

  /** Resolves when the text has gone into the pipe; false when the program does not read its input any more. */
  write(text: string): Promise<boolean> {
    const stdin = this.child?.stdin;
    if (!stdin) return Promise.resolve(false);
    return new Promise((resolve) => stdin.write(text, (error) => resolve(!error)));
  }

  closeStdin(): void {
    this.child?.stdin?.end();
  }

  /** Escalates step by step, or kills at once with `force`. May be called again at any time; resolves when nothing is
   *  left. */
  stop({ force, cancel }: StopOptions): Promise<ProcessEnd> {
    this.isUnwanted = true;
    if (force) this.child?.signal('SIGKILL');
    else this.gentleStop ??= this.askToStop(cancel);
    return this.ended;
  }

  private async askToStop(cancel: StopOptions['cancel']): Promise<void> {
    const patienceMs = cancel && (await this.confirms(cancel)) ? goodbyeMs : graceMs;
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      this.child?.signal(name);
      await settledWithin(this.exited, patienceMs[name]);
    }
    this.child?.signal('SIGKILL');
  }

  /** False if the cancel fails, takes too long, or the program is gone first. */
  private confirms(cancel: () => Promise<void>): Promise<boolean> {
    const confirmed = Promise.resolve()
      .then(cancel)
      .then(
        () => true,
        () => false,
      );
    const inVain = settledWithin(this.exited, CANCEL_MS).then(() => false);
    return Promise.race([confirmed, inVain]);
  }

  private async supervise(child: LaunchedChild, owner: ProcessSpec): Promise<ProcessEnd> {
    const pumps = (['stdout', 'stderr'] as const).map(
      (name) => new OutputPump(child[name], new LineReader(name), owner),
    );
    pumps.forEach((pump) => pump.done.catch(() => void this.stop({ force: true })));
    const end = await this.exited;
    await drainAfterExit(pumps, () => this.isUnwanted);
    await child.killSurvivors();
    await drainAfterKill(pumps);
    return end;
  }
}
