import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { extract, pack } from 'tar-stream';
import type { Json } from './mcp-client.js';
import { Program } from './program.js';

export interface Typed {
  code: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

/** Folders of one test file, and an operator who types in them. */
export class BackupGround {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'taskyard-backup-'));

  constructor() {
    chmodSync(this.folder, 0o711); // the account of the embedded database passes through
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  async types(args: string[], settings: Record<string, string>): Promise<Typed> {
    const program = Program.start('cli', args, settings, this.folder);
    program.child.stdin.end();
    return { code: await program.ended, stdout: program.stdout, stderr: program.stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The same archive with another manifest. */
export async function withManifest(file: string, change: (manifest: Json) => Json): Promise<Buffer> {
  const entries = extract();
  Readable.from([gunzipSync(readFileSync(file))]).pipe(entries);
  const changed = pack();
  for await (const entry of entries) {
    const content = await buffer(entry);
    const isManifest = entry.header.name === 'manifest.json';
    const bytes = isManifest ? JSON.stringify(change(JSON.parse(content.toString()) as Json)) : content;
    changed.entry({ name: entry.header.name }, bytes);
  }
  changed.finalize();
  return gzipSync(await buffer(changed));
}

export async function rowsIn(url: string, sql: string): Promise<Json[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Json>(sql)).rows;
  } finally {
    await client.end();
  }
}
