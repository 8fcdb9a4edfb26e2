import { expect } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';

const root = path.join(import.meta.dirname, '../..');
/** `npm run accept` sets it: what differs is then written instead of reported. */
const isAccepting = process.env.TASKYARD_ACCEPT === '1';
const HOW = 'If this is what you want, accept it with: npm run accept';

/** Fails unless the file, named from the project's root, says exactly this. A missing file fails too. */
export function expectAccepted(file: string, text: string): void {
  const place = path.join(root, file);
  const accepted = existsSync(place) ? readFileSync(place, 'utf8') : undefined;
  if (accepted === text) return;
  if (isAccepting) return write(place, text);
  if (accepted === undefined) throw new Error(`${file} is missing. ${HOW}`);
  expectSame(file, accepted, text);
}

/** The same for every file of a folder: name → text. A file that is there and not named fails too.
 *  @param others behind which another test stands */
export function expectAcceptedFolder(
  folder: string,
  files: Record<string, string>,
  others: readonly string[] = [],
): void {
  const known = [...Object.keys(files), ...others];
  const stale = filesBelow(path.join(root, folder)).filter((name) => !known.includes(name));
  if (isAccepting) for (const name of stale) rmSync(path.join(root, folder, name));
  else if (stale.length)
    throw new Error(
      `${stale.map((name) => `${folder}/${name}`).join(', ')}: nothing in the code stands behind it any more. ${HOW}`,
    );
  for (const [name, text] of Object.entries(files)) expectAccepted(`${folder}/${name}`, text);
}

/** The OpenAPI document that was accepted, which a test of its own holds against the server. */
export function acceptedDocument(): OpenAPIObject {
  return JSON.parse(readFileSync(path.join(root, 'test/contract/snapshots/openapi.json'), 'utf8')) as OpenAPIObject;
}

/** JSON with sorted keys, so that only a change of the content is a difference. */
export function sortedJson(value: unknown): string {
  const sorted = (_: string, part: unknown): unknown =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  return `${JSON.stringify(value, sorted, 2)}\n`;
}

function expectSame(file: string, accepted: string, text: string): void {
  try {
    expect(text).toBe(accepted);
  } catch (error) {
    throw new Error(`${file} says something else than the code.\n${(error as Error).message}\n${HOW}`);
  }
}

function write(place: string, text: string): void {
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
