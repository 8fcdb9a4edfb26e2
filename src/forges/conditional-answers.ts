const MAX_ENTRIES = 300;
const MAX_CHARACTERS = 262_144;

interface KnownAnswer {
  etag: string;
  text: string;
  headers: Record<string, string>;
}

/** The last answers that carried an ETag: asked for again they cost the forge little, and GitHub's quota nothing. */
export class ConditionalAnswers {
  private readonly answers = new Map<string, KnownAnswer>();

  of(url: string): KnownAnswer | null {
    return this.answers.get(url) ?? null;
  }

  keep(url: string, { status, headers }: Response, text: string): void {
    const etag = headers.get('etag');
    this.answers.delete(url);
    if (status !== 200 || etag === null || text.length > MAX_CHARACTERS) return;
    const link = headers.get('link');
    this.answers.set(url, { etag, text, headers: link === null ? {} : { link } });
    const [oldest] = this.answers.keys();
    if (this.answers.size > MAX_ENTRIES && oldest !== undefined) this.answers.delete(oldest);
  }
}
