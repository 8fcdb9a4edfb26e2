import { Injectable } from '@nestjs/common';

/** A run in this process, as far as others may touch it. */
export interface ActiveRun {
  stop(force: boolean): void;
  /** The server ends: the run was cut short, whatever its process makes of it. */
  interrupt(): void;
}

/** The runs this process executes now, by execution id. */
@Injectable()
export class ActiveRuns {
  private readonly runs = new Map<string, ActiveRun>();

  add(execution_id: string, run: ActiveRun): void {
    this.runs.set(execution_id, run);
  }

  delete(execution_id: string): void {
    this.runs.delete(execution_id);
  }

  /** Does nothing where the run is not here; its runner reads the wish from the row. */
  stop(execution_id: string, force: boolean): void {
    this.runs.get(execution_id)?.stop(force);
  }

  interruptAll(): void {
    this.runs.forEach((run) => run.interrupt());
  }
}
