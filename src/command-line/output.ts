import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { commandLineSettings } from '../config/command-line.js';

type Style = Parameters<typeof styleText>[0];

const { isColourful } = commandLineSettings();
const hasColours = ({ isTTY }: { isTTY: boolean }): boolean => isColourful && isTTY;

/** A line, or part of one, for a person. What others wrote in it never drives the terminal. */
export function print(text: string, end = '\n'): void {
  process.stdout.write(visible(text, hasColours(process.stdout)) + end);
}

/** What others wrote, as it is for a program, and as a terminal may have it for a person. */
export async function printStream(body: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    if (process.stdout.isTTY) print(decoder.decode(bytes, { stream: true }), '');
    else if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
  }
}

export function complain(text: string): void {
  process.stderr.write(`${visible(text, hasColours(process.stderr))}\n`);
}

/** One object a line, for a program. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export const styled = (style: Style, text: string): string =>
  hasColours(process.stdout) ? styleText(style, text, { validateStream: false }) : text;

/** Rows in columns as wide as their cells. The last column is cut where the terminal ends. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  for (const row of rows.map((cells) => cells.map((cell) => cell.replaceAll('\n', ' ')))) {
    const cells = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)));
    print(cells.join('  ').slice(0, process.stdout.isTTY ? process.stdout.columns : undefined));
  }
}

/** Whether a person can be asked here. */
export const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** What a person types, in lower case. @param signal ends the question, with an empty answer */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const options = signal ? { signal } : {};
    return (await terminal.question(`${visible(question, false)} `, options)).trim().toLowerCase();
  } catch (error) {
    if (signal?.aborted) return '';
    throw error;
  } finally {
    terminal.close();
  }
}

const ESCAPE = String.fromCharCode(27);
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;:]*m)`);

/** Text of agents as a terminal may have it: nothing in it moves the cursor, sets a title or turns the direction.
 *  @param keepsColours whether colours stay; they are left out otherwise */
export function visible(text: string, keepsColours: boolean): string {
  const parts = text.replaceAll('\r\n', '\n').split(COLOUR); // every other part is a colour
  return parts.map((part, at) => (at % 2 === 1 ? (keepsColours ? part : '') : shown(part))).join('');
}

/** Control characters by their pictures, and signs that turn the direction by their numbers. */
const shown = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, pictureOf);

function pictureOf(sign: string): string {
  if (sign === '\n' || sign === '\t') return sign;
  const code = sign.codePointAt(0)!;
  if (code < 32) return String.fromCodePoint(0x2400 + code);
  return code === 127 ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
