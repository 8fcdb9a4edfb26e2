import { type Answer, call } from './plain-http.js';

export interface Visit extends Answer {
  /** Where it is now. */
  url: URL;
}

/** A browser without a screen: it follows links and redirects, and keeps cookies by host and path as browsers do. */
export class Visitor {
  private readonly cookies = new Map<string, { value: string; path: string }>();

  /** Where it was sent on its last way. */
  readonly way: string[] = [];

  /** Follows a link until something is shown. @param until stops before an address that begins so */
  async open(start: string, until = '\0'): Promise<Visit> {
    this.way.length = 0;
    let url = new URL(start);
    for (let hops = 0; hops < 15; hops += 1) {
      this.way.push(url.href);
      const answer = await this.ask(url);
      const next = answer.headers.location as string | undefined;
      const to = next === undefined ? null : new URL(next, url);
      if (to === null || to.href.startsWith(until)) return { url: to ?? url, ...answer };
      url = to;
    }
    throw new Error(`sent in a circle: ${this.way.join(' ')}`);
  }

  /** One request, as of a navigation. */
  async ask(url: URL): Promise<Answer> {
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const answer = await call(url.href, { ...visit, cookie: this.cookieFor(url) });
    for (const line of (answer.headers['set-cookie'] ?? []) as string[]) this.keep(url, line);
    return answer;
  }

  /** What it would send there. */
  cookieFor({ host, pathname }: URL): string {
    const own = [...this.cookies].filter(([key, { path }]) => key.startsWith(`${host} `) && pathname.startsWith(path));
    return own.map(([key, { value }]) => `${key.slice(host.length + 1)}=${value}`).join('; ');
  }

  private keep({ host, pathname }: URL, line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? pathname.replace(/\/[^/]*$/, '/');
    const isOver = /;\s*max-age=0\b/i.test(line) || /;\s*expires=Thu, 01 Jan 1970/i.test(line);
    if (isOver) this.cookies.delete(`${host} ${name}`);
    else this.cookies.set(`${host} ${name}`, { value, path });
  }
}
