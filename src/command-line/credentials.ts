import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** How a token is renewed. */
export interface Refresh {
  issuer: string;
  client_id: string;
  refresh_token: string;
  resource: string;
}

export interface Credential {
  token: string;
  /** Milliseconds since 1970; absent where the server alone knows. */
  expires_at?: number;
  refresh?: Refresh;
}

/** Tokens of one person, a file for each server, and which server was logged in to last. Nobody else reads them. */
export class Credentials {
  constructor(private readonly folder: string) {}

  find(server: string): Credential | null {
    const text = textIfThere(this.fileOf(server));
    return text === null ? null : (JSON.parse(text) as Credential);
  }

  /** Empty where nobody is logged in. */
  current(): string {
    return textIfThere(path.join(this.folder, 'server'))?.trim() ?? '';
  }

  keep(server: string, credential: Credential): void {
    this.write(this.fileOf(server), JSON.stringify(credential));
    this.write(path.join(this.folder, 'server'), `${server}\n`);
  }

  /** @returns whether there was one */
  forget(server: string): boolean {
    const isThere = this.find(server) !== null;
    rmSync(this.fileOf(server), { force: true });
    if (this.current() === server) rmSync(path.join(this.folder, 'server'));
    return isThere;
  }

  private fileOf(server: string): string {
    return path.join(this.folder, `${encodeURIComponent(server)}.json`);
  }

  /** In one step, so that another command reads the old or the new one. */
  private write(file: string, text: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, text, { mode: 0o600 });
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  }
}

function textIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
