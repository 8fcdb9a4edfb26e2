import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const TABLE = `
CREATE TABLE IF NOT EXISTS lines_by_hand (
  run integer NOT NULL,
  last_line integer NOT NULL,
  lines jsonb NOT NULL,
  PRIMARY KEY (run, last_line)
)`;
const INSERT = 'INSERT INTO lines_by_hand (run, last_line, lines) VALUES ($1, $2, $3)';
const LINES_A_ROW = 1_000;

/** What nobody can do without who keeps the output of a program: it is read by lines, and they are written down a
 *  thousand a row. @returns seconds until the last of them is stored */
export async function outputByHand(client, run, lines) {
  await client.query(TABLE);
  const startedAt = performance.now();
  const child = spawn('bash', ['-c', `seq ${lines}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  let [row, read] = [[], 0];
  const store = async () => {
    await client.query(INSERT, [run, read, JSON.stringify(row)]);
    row = [];
  };
  for await (const content of createInterface({ input: child.stdout })) {
    row.push({ type: 'stdout', content });
    read += 1;
    if (row.length === LINES_A_ROW) await store();
  }
  if (row.length > 0) await store();
  return (performance.now() - startedAt) / 1_000;
}
