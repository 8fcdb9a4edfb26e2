const TIMEOUT_MS = 5_000;
/** How long an issuer that did not answer is not asked again. */
export const PAUSE_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/** The issuer names an address on another origin, which is never called. */
export class ForeignAddress extends Error {
  constructor(
    readonly url: string,
    issuer: string,
  ) {
    super(`${url} is not an address of the issuer ${issuer}`);
  }
}

/** Fetches what the issuer publishes, guarding against failure, hanging, floods and foreign addresses. */
export class IssuerConnection {
  private readonly origin: string;
  private failedAt = -Infinity;

  constructor(readonly issuer: string) {
    this.origin = new URL(issuer).origin;
  }

  /** @returns a 200 of at most 1 MiB, read to its end @throws Error that says what went wrong, ForeignAddress */
  async get(url: string): Promise<Response> {
    if (new URL(url).origin !== this.origin) throw new ForeignAddress(url, this.issuer);
    if (Date.now() - this.failedAt < PAUSE_MS) throw new Error('the issuer did not answer a moment ago');
    try {
      return await this.request(url);
    } catch (error) {
      this.failedAt = Date.now();
      throw error;
    }
  }

  private async request(url: string): Promise<Response> {
    const answer = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    if (answer.status === 200) return new Response(await boundedBody(answer));
    await answer.body?.cancel();
    throw new Error(`${url} answered HTTP ${answer.status}`);
  }
}

/** A request to an address of the issuer's metadata, which may lie on other origins, such as those of a cloud. */
export async function boundedAnswer(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  const { status, statusText, headers } = answer;
  return new Response(await boundedBody(answer), { status, statusText, headers });
}

async function boundedBody({ body, url }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
