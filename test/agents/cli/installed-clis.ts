import { describe } from '@jest/globals';

export interface InstalledCli {
  executor: string;
  program: string;
}

const found = JSON.parse(process.env.TEST_AGENT_CLIS!) as Record<string, { program?: string; why?: string }>;
export const allExecutors: readonly string[] = Object.keys(found);

/** A suite for each agent that is installed; the others are skipped by name, with the reason. */
export function describeEach(executors: readonly string[], suite: (cli: InstalledCli) => void): void {
  for (const executor of executors) {
    const { program, why } = found[executor]!;
    if (program !== undefined) describe(executor, () => suite({ executor, program }));
    else describe.skip(`${executor} (its CLI cannot be installed: ${why})`, () => suite({ executor, program: '' }));
  }
}
