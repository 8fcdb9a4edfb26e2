import { randomUUID } from 'node:crypto';
import { agentEnvironment } from '../../config/child-environment.js';
import { settledWithin } from './settled-within.js';
import { SupervisedProcess } from './supervised-process.js';

const WITHIN_MS = 15_000;

/** First line that `PROGRAM --version` prints, or null. */
export async function programVersion(program: string): Promise<string | null> {
  let said: string | null = null;
  const child = SupervisedProcess.start({
    program,
    args: ['--version'],
    cwd: '/',
    env: agentEnvironment([]),
    marker: randomUUID(),
    stdin: 'closed',
    onLine: ({ text }) => {
      said ??= text;
    },
  });
  if (!(await settledWithin(child.ended, WITHIN_MS))) await child.stop({ force: true });
  return said;
}
