import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

/** What a program is told is a script; of checks that failed it does what `repair.sh` in its worktree says. */
const SCRIPT = `case "$1" in *"of your work failed (round"*) exec sh repair.sh;; *) eval "$1";; esac`;

/** A declared agent, TOLD, that does what it is told in the language of a shell, and is heard when it fails.
 *  @returns settings of a server that has it */
export function toldAgent(): { EXECUTORS_FILE: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-agent-'));
  const file = path.join(folder, 'executors.json');
  const args = ['-c', SCRIPT, 'told', '{prompt}'];
  const told = { id: 'TOLD', command: 'sh', args, protocol: 'plain', takes: 'prompt' };
  writeFileSync(file, JSON.stringify({ executors: [told] }));
  afterAll(() => rmSync(folder, { recursive: true }));
  return { EXECUTORS_FILE: file };
}
