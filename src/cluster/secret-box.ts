import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Keeps secrets in the database that only the server can read, or every process of its cluster. */
export class SecretBox {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'taskyard stored secrets 1', 32));
  }

  /** By the secret of the cluster; a server that is alone makes one, once, in a file that no run sees. */
  static async of({ CLUSTER_SECRET, DATA_DIR }: Pick<Environment, 'CLUSTER_SECRET' | 'DATA_DIR'>): Promise<SecretBox> {
    return new SecretBox(CLUSTER_SECRET || (await secretIn(path.join(DATA_DIR, 'secret-key'))));
  }

  /** @param purpose what the secret is for; it opens for nothing else */
  seal(secret: string, purpose: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** Null for another purpose, or another secret of the cluster. */
  open(sealed: Buffer, purpose: string): string | null {
    try {
      const decipher = createDecipheriv(CIPHER, this.key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  }
}

async function secretIn(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  const made = randomBytes(32).toString('base64url');
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}
