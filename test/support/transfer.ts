import { fetchAsOwner } from './local-tokens.js';
import type { Json } from './mcp-client.js';

/** Lines of an export, as objects. */
export type Lines = Json[];

/** What a server answers to lines. */
export interface Taken {
  status: number;
  body: Json;
}

const NDJSON = { 'content-type': 'application/x-ndjson' };
export const toText = (lines: Lines): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export async function exported(url: string, project_id: string): Promise<Lines> {
  const answer = await fetchAsOwner(`${url}/api/projects/${project_id}/export`);
  if (answer.status !== 200) throw new Error(`the export answered ${answer.status}: ${await answer.text()}`);
  return (await answer.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
}

/** @param place `/api/imports` or that of the tasks of a project */
export async function sent(url: string, place: string, body: string): Promise<Taken> {
  const answer = await fetchAsOwner(`${url}${place}`, { method: 'POST', headers: NDJSON, body });
  return { status: answer.status, body: (await answer.json()) as Json };
}

/** A file of records: they come from `elsewhere` and are framed by header and end. */
export function fileOf(...records: Json[]): Lines {
  const lines = records.map((record) => ({ system: 'elsewhere', ...record }));
  return [
    { kind: 'header', format: 'taskyard-export', version: 1 },
    ...lines,
    { kind: 'end', records: records.length },
  ];
}

/** Numbers of lines by kind. */
export function countsOf(lines: Lines): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of lines) counts[kind as string] = (counts[kind as string] ?? 0) + 1;
  return counts;
}
