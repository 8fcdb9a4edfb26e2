import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

// eslint-disable-next-line no-control-regex -- terminals are controlled by such characters
const CONTROLS = /\x1b(\[[0-9;?<>=]*[a-zA-Z]|\][^\x07]*\x07|.)/g;
/** Between two keys, so that they are not taken for a text that was pasted. */
const BETWEEN_KEYS_MS = 60;
/** Until what was typed is shown and completed: an Enter before that ends a line of it. */
const BEFORE_ENTER_MS = 1_500;
const PATIENCE_MS = 90_000;

interface Session {
  done: RegExp;
  env: Record<string, string>;
  cwd: string;
  type?: { text: string; when: RegExp };
}

/** Runs a program in a terminal until it shows that it is done, and ends it then.
 *  @param type what is typed, and what the program shows when it is ready for it
 *  @returns all that it showed @throws where it ends or the patience does without that */
export async function runInTerminal(command: string, { done, env, cwd, type }: Session): Promise<string> {
  const script = spawn('script', ['-qec', `stty rows 40 cols 150; exec ${command}`, '/dev/null'], {
    ...{ env, cwd, detached: true },
  });
  let shown = '';
  let isTyped = type === undefined;
  const ended = once(script, 'close');
  const timer = setTimeout(() => process.kill(-script.pid!, 'SIGKILL'), PATIENCE_MS);
  const seen = new Promise<void>((resolve) => {
    script.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('\x1b[6n')) script.stdin.write('\x1b[1;1R'); // it asks where the cursor is
      if (text.includes('\x1b[c')) script.stdin.write('\x1b[?62c'); // and what terminal this is
      shown += text.replace(CONTROLS, '');
      if (!isTyped && type!.when.test(shown)) {
        isTyped = true;
        void typeIn(script.stdin, type!.text);
      }
      if (done.test(shown)) resolve();
    });
  });
  await Promise.race([seen, ended]);
  clearTimeout(timer);
  if (script.exitCode === null && script.signalCode === null) process.kill(-script.pid!, 'SIGKILL');
  await ended;
  if (!done.test(shown)) throw new Error(`${command} did not get so far: ${shown.slice(-2_000)}`);
  return shown;
}

async function typeIn(terminal: Writable, text: string): Promise<void> {
  for (const key of text) {
    await pause(key === '\r' ? BEFORE_ENTER_MS : BETWEEN_KEYS_MS);
    terminal.write(key);
  }
}
