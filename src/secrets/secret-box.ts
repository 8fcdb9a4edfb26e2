import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../config/environment.js';
import { ifThere } from '../git/if-there.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

type Keys = Pick<Environment, 'CLUSTER_SECRET' | 'CLUSTER_SECRET_PREVIOUS' | 'DATA_DIR'>;

/** Keeps secrets in the database that only the server can read, or every process of its cluster. Earlier keys open,
 *  and seal no more. */
export class SecretBox {
  private readonly keys: Buffer[];

  constructor(secret: string, ...earlier: string[]) {
    this.keys = [secret, ...earlier].map((one) =>
      Buffer.from(hkdfSync('sha256', one, '', 'taskyard stored secrets 1', 32)),
    );
  }

  /** By the secret of the cluster; a server that is alone makes one, once, in a file that no run sees. */
  static async of({ CLUSTER_SECRET, CLUSTER_SECRET_PREVIOUS, DATA_DIR }: Keys): Promise<SecretBox> {
    const file = path.join(DATA_DIR, 'secret-key');
    if (CLUSTER_SECRET === '') return new SecretBox(await secretIn(file));
    const alone = (await ifThere(readFile(file, 'utf8'))) ?? '';
    return new SecretBox(CLUSTER_SECRET, ...[CLUSTER_SECRET_PREVIOUS, alone].filter(Boolean));
  }

  /** @param purpose what the secret is for; it opens for nothing else */
  seal(secret: string, purpose: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0]!, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** Null for another purpose, or where the key is lost. */
  open(sealed: Buffer, purpose: string): string | null {
    for (const key of this.keys) {
      const opened = openWith(key, sealed, purpose);
      if (opened !== null) return opened;
    }
    return null;
  }

  /** Equal for boxes that open what each other seals. Nobody finds the secret by it. */
  get print(): string {
    return createHmac('sha256', this.keys[0]!).update('taskyard backup').digest('hex').slice(0, 16);
  }

  get knowsEarlierKeys(): boolean {
    return this.keys.length > 1;
  }

  /** Sealed by the present key; null where it is already, or cannot be opened. */
  renewed(sealed: Buffer, purpose: string): Buffer | null {
    if (openWith(this.keys[0]!, sealed, purpose) !== null) return null;
    const opened = this.open(sealed, purpose);
    return opened === null ? null : this.seal(opened, purpose);
  }
}

function openWith(key: Buffer, sealed: Buffer, purpose: string): string | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
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
