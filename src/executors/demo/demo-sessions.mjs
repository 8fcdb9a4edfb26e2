import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RpcError } from './demo-rpc.mjs';

/** Sessions in files of the state folder, so that another process can resume them. */
export class Sessions {
  open = new Map();

  constructor(folder) {
    this.folder = folder;
  }

  create(cwd) {
    mkdirSync(this.folder, { recursive: true });
    const session = { id: randomUUID(), cwd: path.resolve(cwd), turns: 0, log: [], abort: null };
    this.open.set(session.id, session);
    this.save(session);
    return session;
  }

  /** @throws RpcError -32002 for a session nobody knows */
  reopen(id, cwd) {
    const session = { ...this.read(id), cwd: path.resolve(cwd), abort: null };
    this.open.set(id, session);
    return session;
  }

  get(id) {
    return this.open.get(id) ?? unknown(id);
  }

  /** Written beside and renamed: a killed process leaves the earlier state whole. */
  save({ id, cwd, turns, log }) {
    const file = this.fileOf(id);
    writeFileSync(`${file}.new`, JSON.stringify({ id, cwd, turns, log }));
    renameSync(`${file}.new`, file);
  }

  abortAll() {
    for (const session of this.open.values()) session.abort?.abort();
  }

  read(id) {
    if (!/^[\w-]+$/.test(String(id))) unknown(id);
    try {
      return JSON.parse(readFileSync(this.fileOf(id), 'utf8'));
    } catch {
      return unknown(id); // no file, or none that we wrote
    }
  }

  fileOf(id) {
    return path.join(this.folder, `${id}.json`);
  }
}

function unknown(id) {
  throw new RpcError(-32002, `Session not found: ${id}`);
}
