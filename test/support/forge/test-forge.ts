import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { answerGit } from '../git-http-server.js';
import { type Answer, type ForgeCall, type ForgeWorld, refuse, type Words } from './forge-call.js';
import { ForgeRepository, type TestPull } from './forge-repository.js';
import { giteaWords } from './gitea-words.js';
import { githubWords } from './github-words.js';
import { gitlabWords } from './gitlab-words.js';
import { webhookBody } from './webhook-body.js';

export type TestForgeKind = 'github' | 'gitlab' | 'gitea';
interface Late {
  late: Promise<void>;
}
/** What goes wrong with requests that fit: once, or as often as it says. */
export interface Fault {
  on: RegExp;
  times?: number;
  /** hang: no answer; cut: it is done, and the connection ends; flood: an endless answer; late: it is made
   *  now and sent then; do: something happens before. */
  kind:
    | 'hang'
    | 'cut'
    | 'flood'
    | 'garbage'
    | { status: number; headers?: Record<string, string>; body?: object }
    | Late
    | (() => void);
}

const PREFIX = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' };
const WORDS: Record<TestForgeKind, Words> = { github: githubWords, gitlab: gitlabWords, gitea: giteaWords };

const isLate = (fault: Fault['kind'] | undefined): fault is Late => typeof fault === 'object' && 'late' in fault;

/** A forge on loopback: git's own server over real repositories, and the words of GitHub, GitLab or Gitea. It refuses
 *  what they refuse. */
export class TestForge implements ForgeWorld {
  readonly token = 'tok-0123456789abcdef0123456789abcdef';
  readonly secret = 'hook-secret-0123456789';
  readonly requests: { method: string; path: string; body: unknown; status: number }[] = [];
  readonly faults: Fault[] = [];
  /** Where webhooks go; none go out while it is empty. */
  hook = '';
  user = 'ada';
  pageSize = 2;
  private readonly repositories = new Map<string, ForgeRepository>();
  private deliveries = 0;
  readonly delivered: Promise<Response>[] = [];

  private constructor(
    readonly kind: TestForgeKind,
    private readonly server: Server,
    private readonly folder: string,
    readonly host: string,
  ) {}

  static async start(kind: TestForgeKind, folder: string): Promise<TestForge> {
    mkdirSync(folder, { recursive: true });
    const server = createServer((request, response) => void forge.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const forge: TestForge = new TestForge(kind, server, folder, host);
    return forge;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  get apiUrl(): string {
    return this.url + PREFIX[this.kind];
  }

  /** As FORGES_FILE names it; its secrets stand in files beside. @returns path of the file */
  settingsFile(folder: string): string {
    const file = (name: string, content: string): string => {
      writeFileSync(path.join(folder, name), content);
      return path.join(folder, name);
    };
    const token_file = file(`${this.kind}.token`, `${this.token}\n`);
    const webhook_secret_file = file(`${this.kind}.secret`, `${this.secret}\n`);
    const forge = { host: this.host, kind: this.kind, api_url: this.apiUrl, token_file, webhook_secret_file };
    return file(`${this.kind}-forges.json`, JSON.stringify({ forges: [forge] }));
  }

  create(full_name: string): ForgeRepository {
    const made = new ForgeRepository(this.folder, full_name);
    this.repositories.set(full_name, made);
    return made;
  }

  repository(full_name: string): ForgeRepository | undefined {
    return this.repositories.get(full_name);
  }

  requestsTo(on: RegExp): { method: string; path: string; body: unknown; status: number }[] {
    return this.requests.filter(({ method, path }) => on.test(`${method} ${path}`));
  }

  happened(event: string, repository: ForgeRepository, pull: TestPull): void {
    if (this.hook !== '') this.delivered.push(this.deliver(webhookBody(this, event, repository, pull)));
  }

  /** @param secret another one than ours signs wrongly */
  deliver(payload: object, secret = this.secret, id = `delivery-${(this.deliveries += 1)}`): Promise<Response> {
    const body = JSON.stringify(payload);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const proofs: Record<TestForgeKind, Record<string, string>> = {
      github: {
        'x-hub-signature-256': `sha256=${signature}`,
        'x-github-delivery': id,
        'x-github-event': 'pull_request',
      },
      gitlab: { 'x-gitlab-token': secret, 'x-gitlab-event-uuid': id, 'x-gitlab-event': 'Merge Request Hook' },
      gitea: { 'x-gitea-signature': signature, 'x-gitea-delivery': id, 'x-gitea-event': 'pull_request' },
    };
    const proof = proofs[this.kind];
    return fetch(this.hook, { method: 'POST', body, headers: { 'content-type': 'application/json', ...proof } });
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.delivered);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    if (!url.pathname.startsWith('/api/')) return this.git(request, response);
    const text = (await buffer(request)).toString('utf8');
    const call: ForgeCall = {
      method: request.method ?? 'GET',
      path: url.pathname.replace(PREFIX[this.kind], '').replace(/^\/api\/graphql$/, '/graphql'),
      query: url.searchParams,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    const fault = this.faultFor(call);
    if (typeof fault === 'function') fault();
    else if (fault !== undefined && fault !== 'cut' && !isLate(fault)) return this.fail(fault, call, response);
    const answer = this.mayEnter(request) ? WORDS[this.kind](this, call) : refuse(401, 'Bad credentials');
    this.note(call, answer.status);
    if (fault === 'cut') return void response.destroy();
    if (isLate(fault)) await fault.late;
    this.write(call, url, answer, request, response);
  }

  /** Git asks for the password only after a first try without. */
  private git(request: IncomingMessage, response: ServerResponse): void {
    const given = Buffer.from(request.headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString();
    if (given.endsWith(`:${this.token}`)) answerGit(this.folder, request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  }

  private mayEnter({ headers }: IncomingMessage): boolean {
    const given = { github: headers.authorization, gitlab: headers['private-token'], gitea: headers.authorization };
    const word = { github: 'Bearer ', gitlab: '', gitea: 'token ' }[this.kind];
    return given[this.kind] === word + this.token;
  }

  private faultFor({ method, path }: ForgeCall): Fault['kind'] | undefined {
    const at = this.faults.findIndex(({ on }) => on.test(`${method} ${path}`));
    const fault = this.faults[at];
    if (!fault) return undefined;
    const left = (fault.times ?? 1) - 1;
    if (left > 0) this.faults[at] = { ...fault, times: left };
    else this.faults.splice(at, 1);
    return fault.kind;
  }

  private fail(
    fault: Exclude<Fault['kind'], 'cut' | Late | (() => void)>,
    call: ForgeCall,
    response: ServerResponse,
  ): void {
    const status = typeof fault === 'object' ? fault.status : fault === 'hang' ? 0 : 200;
    this.note(call, status);
    if (fault === 'hang') return;
    if (fault === 'garbage') return void response.writeHead(200).end('<html>not what you asked for');
    if (fault === 'flood') return void response.writeHead(200).end('x'.repeat(9 * 1024 * 1024));
    const headers = { 'content-type': 'application/json', ...fault.headers };
    response.writeHead(fault.status, headers).end(JSON.stringify(fault.body ?? { message: 'on demand' }));
  }

  private note({ method, path, body }: ForgeCall, status: number): void {
    this.requests.push({ method, path, body, status });
  }

  private write(call: ForgeCall, url: URL, answer: Answer, request: IncomingMessage, response: ServerResponse): void {
    const page = Number(call.query.get('page') ?? 1);
    const items = answer.items?.slice((page - 1) * this.pageSize, page * this.pageSize);
    const body = items === undefined ? answer.body : answer.wrap ? answer.wrap(items) : items;
    if (answer.items && answer.items.length > page * this.pageSize) {
      url.searchParams.set('page', String(page + 1));
      response.setHeader('link', `<${url.href}>; rel="next", <${url.href}>; rel="last"`);
    }
    const text = body === undefined ? '' : JSON.stringify(body);
    const etag = `"${createHmac('sha256', 'etag').update(text).digest('hex').slice(0, 16)}"`;
    response.setHeader('content-type', 'application/json');
    if (call.method === 'GET') response.setHeader('etag', etag);
    if (call.method === 'GET' && request.headers['if-none-match'] === etag) {
      this.requests.at(-1)!.status = 304;
      return void response.writeHead(304).end();
    }
    response.writeHead(answer.status).end(text);
  }
}
